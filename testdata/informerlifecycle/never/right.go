package never

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

func closedByDefer(informer cache.SharedIndexInformer) bool {
	stop := make(chan struct{})
	defer close(stop)
	go informer.Run(stop)
	return cache.WaitForCacheSync(stop, informer.HasSynced)
}

func untilTimeout(informer cache.SharedIndexInformer) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go informer.Run(ctx.Done())
	<-ctx.Done()
}

func callersChannel(informer cache.SharedIndexInformer, stop <-chan struct{}) { go informer.Run(stop) }

// closer hands out what ends it.
func closer(informer cache.SharedIndexInformer) (stop func()) {
	ch := make(chan struct{})
	go informer.Run(ch)
	return sync.OnceFunc(func() { close(ch) })
}

// watcher keeps what ends it.
type watcher struct {
	factory informers.SharedInformerFactory
	stop    chan struct{}
}

func newWatcher(client kubernetes.Interface) *watcher {
	return &watcher{factory: informers.NewSharedInformerFactory(client, 0), stop: make(chan struct{})}
}

func (w *watcher) Begin() { w.factory.Start(w.stop) }

func (w *watcher) Close() { close(w.stop) }

// keeper keeps a cancel function.
type keeper struct{ cancel context.CancelFunc }

func (k *keeper) Begin(informer cache.SharedIndexInformer) {
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	go informer.Run(ctx.Done())
}

// handedOn is for others to close.
func handedOn(informer cache.SharedIndexInformer, keep func(chan<- struct{})) {
	stop := make(chan struct{})
	keep(stop)
	go informer.Run(stop)
}

// told ends with a value that is sent.
func told(informer cache.SharedIndexInformer, done <-chan bool) {
	stop := make(chan struct{})
	go informer.Run(stop)
	go func() {
		<-done
		stop <- struct{}{}
	}()
}

// program is called with the manager, and has a helper.
func program(mgr ctrl.Manager, client kubernetes.Interface) {
	_ = mgr.AddHealthzCheck("never", nil)
	serve(informers.NewSharedInformerFactory(client, 0))
}

func serve(factory informers.SharedInformerFactory) {
	factory.Start(wait.NeverStop)
	factory.WaitForCacheSync(wait.NeverStop)
}

// setUp is called with the manager, once.
func setUp(mgr ctrl.Manager, informer cache.SharedIndexInformer) error {
	go informer.Run(wait.NeverStop)
	return mgr.AddHealthzCheck("sync", func(*http.Request) error { return nil })
}

// untilSignal is main in all but name.
func untilSignal(factory informers.SharedInformerFactory) {
	factory.Start(wait.NeverStop)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	<-signals
}

// forever never returns.
func forever(factory informers.SharedInformerFactory, work func()) {
	factory.Start(wait.NeverStop)
	for {
		work()
	}
}

// foreverIfMade does so once it has started.
func foreverIfMade(made func() (informers.SharedInformerFactory, error), work func()) error {
	factory, err := made()
	if err != nil {
		return err
	}
	factory.Start(wait.NeverStop)
	for {
		work()
	}
}

// fakes are informers over memory.
func fakes() cache.SharedIndexInformer {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(wait.NeverStop)
	return informer
}

// onlyWaits starts nothing.
func onlyWaits(informer cache.SharedIndexInformer) bool {
	return cache.WaitForCacheSync(wait.NeverStop, informer.HasSynced)
}

// atHand has a stop channel at hand, which is ctxdone's matter.
func atHand(stop <-chan struct{}, informer cache.SharedIndexInformer) {
	go informer.Run(wait.NeverStop)
	<-stop
}

// server serves until the process ends.
func server(factory informers.SharedInformerFactory) error {
	factory.Start(wait.NeverStop)
	return http.ListenAndServe(":8080", nil)
}

// untilEnd waits for the end of the process, which another package tells.
func untilEnd(factory informers.SharedInformerFactory, endOfProcess func() context.Context) error {
	failed := make(chan struct{})
	ctx := endOfProcess()
	factory.Start(failed)
	select {
	case <-ctx.Done():
		return nil
	case <-failed:
		return http.ErrServerClosed
	}
}

// closedElsewhere has its channel closed by a function that is handed it.
type closedElsewhere struct {
	factory informers.SharedInformerFactory
	stop    chan struct{}
}

func newClosedElsewhere(client kubernetes.Interface) *closedElsewhere {
	return &closedElsewhere{factory: informers.NewSharedInformerFactory(client, 0), stop: make(chan struct{})}
}

func (c *closedElsewhere) begin() { c.factory.Start(c.stop) }

func (c *closedElsewhere) end() { end(c.stop) }

func end(stop chan<- struct{}) { close(stop) }

// exposed has a channel that everybody may close.
type exposed struct {
	factory informers.SharedInformerFactory
	Stop    chan struct{}
}

func newExposed(client kubernetes.Interface) *exposed {
	return &exposed{factory: informers.NewSharedInformerFactory(client, 0), Stop: make(chan struct{})}
}

func (e *exposed) begin() { e.factory.Start(e.Stop) }

// mixed is handed a channel that is closed, too.
func mixed(informer cache.SharedIndexInformer, stop <-chan struct{}) { go informer.Run(stop) }

func mixes(informer cache.SharedIndexInformer, stop <-chan struct{}) {
	mixed(informer, wait.NeverStop)
	mixed(informer, stop)
}

// lister is made by something that calls each constructor once.
type lister struct {
	factory informers.SharedInformerFactory
}

func newLister(factory informers.SharedInformerFactory) *lister {
	factory.Core().V1().Pods().Informer()
	return &lister{factory}
}

// begin starts what was started already, or does it once.
func (l *lister) begin() { l.factory.Start(wait.NeverStop) }

func provide(client kubernetes.Interface) (cache.Indexer, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	factory.Start(wait.NeverStop)
	return pods.GetIndexer(), nil
}

// Helpers of those that run until the process ends.

func foreverThroughHelper(factory informers.SharedInformerFactory, work func()) {
	startAll(factory)
	for {
		work()
	}
}

func serverThroughHelper(factory informers.SharedInformerFactory) error {
	startAll(factory)
	return http.ListenAndServe(":8080", nil)
}

func startAll(factory informers.SharedInformerFactory) { factory.Start(wait.NeverStop) }

func serverThroughLiteral(factory informers.SharedInformerFactory) error {
	start := func() { factory.Start(wait.NeverStop) }
	start()
	return http.ListenAndServe(":8080", nil)
}

// A signal ends it, also where nobody keeps the function that does.
func untilInterrupt(client kubernetes.Interface) {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt)
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
}
