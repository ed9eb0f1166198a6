package kubeapi

import (
	"go/types"
	"strings"
)

// serving are functions that a process which serves spends its life in, or has others
// spend theirs in.
var serving = newNameTable(
	"net/http.Serve", "net/http.ServeTLS", "net/http.ListenAndServe", "net/http.ListenAndServeTLS",
	"(*net/http.Server).Serve", "(*net/http.Server).ServeTLS", "(*net/http.Server).ListenAndServe", "(*net/http.Server).ListenAndServeTLS",
	"(net.Listener).Accept", "(*net.TCPListener).Accept", "(*net.UnixListener).Accept",
	"k8s.io/apimachinery/pkg/util/wait.Until*", "k8s.io/apimachinery/pkg/util/wait.JitterUntil*", "k8s.io/apimachinery/pkg/util/wait.NonSlidingUntil*",
	"k8s.io/apimachinery/pkg/util/wait.Forever", "k8s.io/apimachinery/pkg/util/wait.BackoffUntil*",
)

// operating are those of them that no program calls which a user runs and waits for.
var operating = newNameTable(
	"(sigs.k8s.io/controller-runtime/pkg/manager.Manager).Start", "(sigs.k8s.io/controller-runtime/pkg/manager.Runnable).Start",
	"k8s.io/client-go/tools/leaderelection.RunOrDie", "(*k8s.io/client-go/tools/leaderelection.LeaderElector).Run",
	"(*google.golang.org/grpc.Server).Serve", "knative.dev/pkg/injection/sharedmain.*",
	"(k8s.io/apiserver/pkg/server.preparedGenericAPIServer).Run*",
)

// lifelong are names by which libraries have a program do its work.
var lifelong = map[string]bool{
	"Run": true, "RunOrDie": true, "RunWithContext": true, "RunUntil": true, "Start": true, "StartWithContext": true,
	"Serve": true, "ServeTLS": true, "ListenAndServe": true, "ListenAndServeTLS": true,
	"Main": true, "MainWithContext": true, "MainWithConfig": true, "MainNamed": true,
}

// passing are libraries in which such a function ends by itself: those of commands, of
// what they show, and some that do one thing.
var passing = []string{
	"github.com/mitchellh/cli", "helm.sh/helm", "k8s.io/kubectl", "k8s.io/cli-runtime", "k8s.io/utils/exec", "k8s.io/kubernetes/pkg/kubectl",
	"go.opentelemetry.io", "go.opencensus.io", "github.com/opentracing", "golang.org/x", "github.com/onsi", "github.com/stretchr", "github.com/vbauerster/mpb",
	"github.com/theckman/yacspin", "github.com/cheggaaa/pb", "github.com/hashicorp/go-version", "github.com/containers", "github.com/docker",
	"k8s.io/code-generator", "k8s.io/gengo", "sigs.k8s.io/controller-tools", "sigs.k8s.io/kustomize", "github.com/spf13/cobra/doc",
}

// Serves reports whether fn is how a process goes on until it is told to stop: it
// serves connections, runs a manager or informers, does something again and again. Of
// libraries that it does not know, it takes what they start or run for that.
func Serves(fn *types.Func) bool {
	if serving.match(fn) {
		return true
	}
	if fn.Pkg() == nil || !lifelong[fn.Name()] || !strings.Contains(firstElement(fn.Pkg().Path()), ".") {
		return false
	}
	path := fn.Pkg().Path()
	return !isBelow(path, passing) && !isBelow(path, commandLibraries) && !isBelow(path, screens) && !isBelow(path, printers)
}

// Operates reports whether fn is what makes a process an operator or another server of a
// cluster, and no program that a user runs and waits for.
func Operates(fn *types.Func) bool { return operating.match(fn) }

// TakesCommand reports whether values of the type are what command-line libraries run
// when the user names a command.
func TakesCommand(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && IsCommand(sig)
}
