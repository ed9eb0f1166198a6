package kubeapi

import "go/types"

// noReturn lists functions that never return to their caller, so that the
// control flow after them is dead.
var noReturn = map[string]bool{
	"os.Exit":        true,
	"runtime.Goexit": true,
	"log.Fatal":      true, "log.Fatalf": true, "log.Fatalln": true,
	"log.Panic": true, "log.Panicf": true, "log.Panicln": true,
	"(*log.Logger).Fatal": true, "(*log.Logger).Fatalf": true, "(*log.Logger).Fatalln": true,
	"(*log.Logger).Panic": true, "(*log.Logger).Panicf": true, "(*log.Logger).Panicln": true,
	"k8s.io/klog/v2.Fatal": true, "k8s.io/klog/v2.Fatalf": true, "k8s.io/klog/v2.Fatalln": true, "k8s.io/klog/v2.FatalDepth": true,
	"k8s.io/klog/v2.Exit": true, "k8s.io/klog/v2.Exitf": true, "k8s.io/klog/v2.Exitln": true, "k8s.io/klog/v2.ExitDepth": true,
	"k8s.io/klog/v2.FlushAndExit": true,
	"k8s.io/klog.Fatal":           true, "k8s.io/klog.Fatalf": true, "k8s.io/klog.Fatalln": true,
	"k8s.io/klog.Exit": true, "k8s.io/klog.Exitf": true, "k8s.io/klog.Exitln": true,
	"github.com/golang/glog.Fatal": true, "github.com/golang/glog.Fatalf": true, "github.com/golang/glog.Exit": true, "github.com/golang/glog.Exitf": true,
	"github.com/sirupsen/logrus.Fatal": true, "github.com/sirupsen/logrus.Fatalf": true, "github.com/sirupsen/logrus.Fatalln": true,
	"(*github.com/sirupsen/logrus.Entry).Fatal": true, "(*github.com/sirupsen/logrus.Entry).Fatalf": true,
	"(*github.com/sirupsen/logrus.Logger).Fatal": true, "(*github.com/sirupsen/logrus.Logger).Fatalf": true,
	"(*go.uber.org/zap.Logger).Fatal": true, "(*go.uber.org/zap.Logger).Panic": true,
	"(*go.uber.org/zap.SugaredLogger).Fatal": true, "(*go.uber.org/zap.SugaredLogger).Fatalf": true, "(*go.uber.org/zap.SugaredLogger).Fatalw": true,
	"(*testing.common).Fatal": true, "(*testing.common).Fatalf": true, "(*testing.common).FailNow": true,
	"(*testing.common).Skip": true, "(*testing.common).Skipf": true, "(*testing.common).SkipNow": true,
}

// noReturnNames are their last parts: every call is asked about.
var noReturnNames = func() map[string]bool {
	names := make(map[string]bool)
	for full := range noReturn {
		names[lastPart(full)] = true
	}
	return names
}()

// NoReturn reports whether fn is known never to return.
func NoReturn(fn *types.Func) bool {
	return noReturnNames[fn.Name()] && noReturn[FullName(fn.Origin())]
}
