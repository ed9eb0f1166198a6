// Package right waits for caches in ways that look wrong and are right.
package right

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

type controller struct {
	factory  informers.SharedInformerFactory
	client   kubernetes.Interface
	informer cache.SharedIndexInformer
	pods     corelisters.PodLister
	synced   cache.InformerSynced
	queue    workqueue.TypedRateLimitingInterface[string]
	ready    bool
}

func (c *controller) runWorker() {
	for c.processNext() {
	}
}

func (c *controller) processNext() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	pods, _ := c.pods.List(labels.Everything())
	klog.Info(key, len(pods))
	return true
}

func (c *controller) checked(stopCh <-chan struct{}) {
	if !cache.WaitForCacheSync(stopCh, c.synced) {
		return
	}
	go wait.Until(c.runWorker, time.Second, stopCh)
	<-stopCh
}

func (c *controller) checkedWithError(ctx context.Context) error {
	if ok := cache.WaitForCacheSync(ctx.Done(), c.synced); !ok {
		return errors.New("caches did not sync")
	}
	go c.runWorker()
	return nil
}

func (c *controller) fatal(ctx context.Context) {
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		klog.Fatal("caches did not sync")
	}
	go c.runWorker()
}

func exit(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

func (c *controller) exits(ctx context.Context) {
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		exit("caches did not sync")
	}
	go c.runWorker()
}

// wait.Until does not run the worker any more once stopCh is closed.
func (c *controller) untilStop(stopCh <-chan struct{}) {
	cache.WaitForCacheSync(stopCh, c.synced)
	go wait.Until(c.runWorker, time.Second, stopCh)
	<-stopCh
}

// Nor does it run what reads the cache itself.
func (c *controller) readsUntilStop(stopCh <-chan struct{}) {
	cache.WaitForCacheSync(stopCh, c.synced)
	wait.JitterUntil(func() {
		pods, _ := c.pods.List(labels.Everything())
		klog.Info(len(pods))
	}, time.Minute, 1.2, true, stopCh)
}

// The wait group is counted down by a goroutine that always runs.
func (c *controller) groupRuns(ctx context.Context) {
	cache.WaitForCacheSync(ctx.Done(), c.synced)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		wait.Until(c.runWorker, time.Second, ctx.Done())
	}()
	wg.Wait()
}

// Nothing comes after it.
func (c *controller) start(stopCh <-chan struct{}) {
	c.factory.Start(stopCh)
	c.factory.WaitForCacheSync(stopCh)
}

// The context is asked before anything is read.
func (c *controller) asksContext(ctx context.Context) error {
	cache.WaitForCacheSync(ctx.Done(), c.synced)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err := c.pods.List(labels.Everything())
	return err
}

func (c *controller) selects(ctx context.Context, events <-chan string) {
	cache.WaitForCacheSync(ctx.Done(), c.synced)
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			_, _ = c.pods.List(labels.Everything())
		}
	}
}

// It cannot fail: nothing ends the context before the function returns.
func cannotFail(client kubernetes.Interface) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactory(client, 0)
	lister := factory.Core().V1().Services().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	services, _ := lister.List(labels.Everything())
	return len(services)
}

// It remembers that it has no cache.
func (c *controller) fallsBack(ctx context.Context) int {
	cached := true
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		klog.Warning("going on without a cache")
		cached = false
	}
	if !cached {
		return 0
	}
	pods, _ := c.pods.List(labels.Everything())
	return len(pods)
}

func (c *controller) remembers(ctx context.Context) int {
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		c.ready = false
	}
	if !c.ready {
		return 0
	}
	pods, _ := c.pods.List(labels.Everything())
	return len(pods)
}

// It tries for a while, and says that it goes on.
func (c *controller) bestEffort(ctx context.Context) {
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if !cache.WaitForCacheSync(short.Done(), c.synced) {
		klog.Warning("the caches are not filled yet, going on")
	}
	go c.runWorker()
	<-ctx.Done()
}

// The second wait is the one that counts.
func (c *controller) waitsTwice(ctx context.Context) error {
	c.factory.WaitForCacheSync(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return errors.New("caches did not sync")
	}
	_, err := c.pods.List(labels.Everything())
	return err
}

// What is read has been waited for.
func (c *controller) othersLater(ctx context.Context, others cache.InformerSynced) int {
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return 0
	}
	cache.WaitForCacheSync(ctx.Done(), others)
	pods, _ := c.pods.List(labels.Everything())
	return len(pods)
}

func (c *controller) eachAnswer(ctx context.Context) error {
	for kind, ok := range c.factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return fmt.Errorf("cache of %v did not sync", kind)
		}
	}
	_, err := c.pods.List(labels.Everything())
	return err
}

// What is not synced is read from the API server.
func (c *controller) first(stopCh <-chan struct{}) int {
	for _, ok := range c.factory.WaitForCacheSync(stopCh) {
		if ok {
			pods, _ := c.pods.List(labels.Everything())
			return len(pods)
		}
	}
	return 0
}

func (c *controller) handsOn(ctx context.Context) bool {
	c.ready = cache.WaitForCacheSync(ctx.Done(), c.synced)
	return c.ready
}

func (c *controller) onlyIfSynced(ctx context.Context) {
	if cache.WaitForCacheSync(ctx.Done(), c.synced) {
		go c.runWorker()
	}
	<-ctx.Done()
}

func (c *controller) breaksOut(ctx context.Context) error {
	for {
		if cache.WaitForCacheSync(ctx.Done(), c.synced) {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (c *controller) pollsItself(ctx context.Context) error {
	go c.informer.Run(ctx.Done())
	for !c.informer.HasSynced() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(100 * time.Millisecond)
	}
	klog.Info(len(c.informer.GetStore().List()))
	return nil
}

func pollsByPoller(ctx context.Context, informer cache.SharedIndexInformer) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		return informer.HasSynced(), nil
	})
}

// Workers come first, but the queue is empty until the handlers are registered.
func (c *controller) handlersLast(ctx context.Context) error {
	go c.runWorker()
	c.factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return errors.New("caches did not sync")
	}
	return c.addHandlers()
}

func (c *controller) addHandlers() error {
	_, err := c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { c.queue.Add(fmt.Sprint(obj)) },
	})
	return err
}

// It is started before the wait, and waits itself.
func (c *controller) add(ctx context.Context) error {
	go c.run(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return errors.New("caches did not sync")
	}
	return nil
}

func (c *controller) run(ctx context.Context) {
	if !cache.WaitForNamedCacheSync("ours", ctx.Done(), c.synced) {
		return
	}
	c.runWorker()
}

// The caller waits.
func lister(ctx context.Context, client kubernetes.Interface) (corelisters.PodLister, cache.InformerSynced) {
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	found := pods.Lister()
	factory.Start(ctx.Done())
	return found, pods.Informer().HasSynced
}

func (c *controller) waitsInHelper(ctx context.Context) int {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	pods := factory.Core().V1().Pods()
	found := pods.Lister()
	factory.Start(ctx.Done())
	c.sync(ctx, pods.Informer().HasSynced)
	all, _ := found.List(labels.Everything())
	return len(all)
}

func (c *controller) sync(ctx context.Context, synced cache.InformerSynced) {
	if !cache.WaitForCacheSync(ctx.Done(), synced) {
		panic("caches did not sync")
	}
}

// The second Start is for services only.
func startsMore(ctx context.Context, client kubernetes.Interface) int {
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
	for _, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return 0
		}
	}
	factory.Core().V1().Services().Informer()
	factory.Start(ctx.Done())
	all, _ := pods.List(labels.Everything())
	return len(all)
}

// It tries until the object is there.
func (c *controller) triesAgain(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	found := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
	for {
		if _, err := found.Pods("ours").Get("pod"); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
}

// The factory is started by whoever has it.
func handsFactoryOn(ctx context.Context, client kubernetes.Interface, start func(informers.SharedInformerFactory)) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	start(factory)
	return cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
}

func runsInformer(ctx context.Context, client kubernetes.Interface) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	go informer.Run(ctx.Done())
	return cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
}

// Two informers, one after the other.
func oneAfterTheOther(ctx context.Context, first, second cache.SharedIndexInformer) {
	go first.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), first.HasSynced) {
		return
	}
	second.Run(ctx.Done())
}

func again(ctx context.Context, each []cache.SharedIndexInformer) {
	for _, informer := range each {
		go informer.Run(ctx.Done())
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return
		}
	}
}

// The sleep is for something else.
func sleepsAndWaits(ctx context.Context, client kubernetes.Interface) int {
	factory := informers.NewSharedInformerFactory(client, 0)
	found := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
	time.Sleep(time.Second)
	if !cache.WaitForCacheSync(ctx.Done(), factory.Core().V1().Pods().Informer().HasSynced) {
		return 0
	}
	all, _ := found.List(labels.Everything())
	return len(all)
}

// The reconciler waits, with a timeout.
type reconciler struct{ informer cache.SharedIndexInformer }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if !cache.WaitForCacheSync(short.Done(), r.informer.HasSynced) {
		return ctrl.Result{}, fmt.Errorf("cache of %s did not sync", req)
	}
	return ctrl.Result{}, r.ensure(short)
}

func (r *reconciler) ensure(ctx context.Context) error {
	if !cache.WaitForCacheSync(ctx.Done(), r.informer.HasSynced) {
		return ctx.Err()
	}
	return nil
}

// The field has a context with a time limit.
type restorer struct {
	ctx    context.Context
	caches *caches
}

func (r *restorer) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	return ctrl.Result{}, r.caches.wait(r.ctx)
}

type caches struct{ informer cache.SharedIndexInformer }

func (c *caches) wait(ctx context.Context) error {
	if !cache.WaitForCacheSync(ctx.Done(), c.informer.HasSynced) {
		return ctx.Err()
	}
	return nil
}

// A timer ends it.
func (r *reconciler) watchShortly() {
	_, _ = r.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			stop := make(chan struct{})
			time.AfterFunc(time.Second, func() { close(stop) })
			if cache.WaitForCacheSync(stop, r.informer.HasSynced) {
				klog.Info("synced")
			}
		},
		UpdateFunc: func(any, any) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(time.Second, cancel)
			if cache.WaitForCacheSync(ctx.Done(), r.informer.HasSynced) {
				klog.Info("synced")
			}
		},
	})
}

// In a goroutine of its own it keeps nobody waiting.
func (r *reconciler) watch(ctx context.Context, synced func()) {
	_, _ = r.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			go func() {
				if cache.WaitForCacheSync(ctx.Done(), r.informer.HasSynced) {
					synced()
				}
			}()
		},
	})
}

// It ends when the client has gone away.
func (r *reconciler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if !cache.WaitForCacheSync(req.Context().Done(), r.informer.HasSynced) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// A runnable waits when the manager starts it.
func runnable(informer cache.SharedIndexInformer) manager.Runnable {
	return manager.RunnableFunc(func(ctx context.Context) error {
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return errors.New("cache did not sync")
		}
		return nil
	})
}

// A worker waits before it begins to work.
func (c *controller) waitingWorker(ctx context.Context) {
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return
	}
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		c.queue.Done(key)
	}
}

// A fake clientset answers at once.
func onFake() bool {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(wait.NeverStop)
	return cache.WaitForCacheSync(wait.NeverStop, informer.HasSynced)
}

// Nobody is kept waiting.
func inBackground(synced cache.InformerSynced, ready func()) {
	go func() {
		if cache.WaitForCacheSync(wait.NeverStop, synced) {
			ready()
		}
	}()
}

// Who starts informers for ever waits for ever.
func program(client kubernetes.Interface) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(wait.NeverStop)
	return cache.WaitForCacheSync(wait.NeverStop, informer.HasSynced)
}

// That it goes on after stop has ended is what ctxdone is for.
func (c *controller) stopAtHand(stop <-chan struct{}) bool {
	return cache.WaitForCacheSync(wait.NeverStop, c.synced)
}

// The stop channel is closed by somebody.
type stoppable struct {
	stop   chan struct{}
	synced cache.InformerSynced
}

func (s *stoppable) wait() bool { return cache.WaitForCacheSync(s.stop, s.synced) }

func (s *stoppable) close() { close(s.stop) }

func silenced(synced cache.InformerSynced) bool {
	return cache.WaitForCacheSync(wait.NeverStop, synced) //nolint:cachesync // a demo
}

// The context is at hand in the caller of the helper, and ctxdone's matter.
func stopInCaller(stop <-chan struct{}, synced cache.InformerSynced) bool { return waitForEver(synced) }

func waitForEver(synced cache.InformerSynced) bool {
	return cache.WaitForCacheSync(wait.NeverStop, synced)
}

// Literals wait and read: what reads is run until the same channel is closed.
func (c *controller) readsInLiterals(stopCh <-chan struct{}) {
	sync := func() { cache.WaitForCacheSync(stopCh, c.synced) }
	sync()
	wait.JitterUntil(func() {
		list := func() ([]*corev1.Pod, error) { return c.pods.List(labels.Everything()) }
		pods, _ := list()
		klog.Info(len(pods))
	}, time.Minute, 1.2, true, stopCh)
}

// The first wait is a helper's, the second one counts.
func (c *controller) helperWaitsTwice(ctx context.Context) error {
	c.waitOnce(ctx)
	if !c.waitSurely(ctx) {
		return errors.New("caches did not sync")
	}
	_, err := c.pods.List(labels.Everything())
	return err
}

func (c *controller) waitOnce(ctx context.Context) { c.factory.WaitForCacheSync(ctx.Done()) }

func (c *controller) waitSurely(ctx context.Context) bool {
	return cache.WaitForCacheSync(ctx.Done(), c.synced)
}

// A literal tries until the object is there.
func (c *controller) literalTriesAgain(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	found := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
	for {
		try := func() error {
			_, err := found.Pods("ours").Get("pod")
			return err
		}
		if try() == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
}

// The same behind a function that runs a literal with what it is given.
func (c *controller) readsBehindGeneric(stopCh <-chan struct{}) {
	with(stopCh, func(stop <-chan struct{}) { cache.WaitForCacheSync(stop, c.synced) })
	wait.JitterUntil(func() {
		pods, _ := c.pods.List(labels.Everything())
		klog.Info(len(pods))
	}, time.Minute, 1.2, true, stopCh)
}

func with[T any](x T, f func(T)) { f(x) }

// A signal ends the wait, also before the deferred function is called.
func (c *controller) untilSignal() bool {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return cache.WaitForCacheSync(ctx.Done(), c.synced)
}
