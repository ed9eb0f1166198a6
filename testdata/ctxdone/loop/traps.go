package loop

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opvet/opvet/testdata/ctxdone/loop/lib"
)

// asksErr checks between two rounds.
func asksErr(ctx context.Context) {
	for {
		if ctx.Err() != nil {
			return
		}
		work()
		time.Sleep(time.Second)
	}
}

// asksErrInCondition does so in the loop's condition.
func asksErrInCondition(ctx context.Context) {
	for ctx.Err() == nil {
		work()
		time.Sleep(time.Second)
	}
}

// asksHelper asks a helper of another package.
func asksHelper(ctx context.Context) {
	for {
		if lib.Ended(ctx) {
			return
		}
		work()
		time.Sleep(time.Second)
	}
}

// pauses is told by a helper that waits.
func pauses(ctx context.Context) {
	for lib.Pause(ctx, time.Second) {
		work()
	}
}

func (p *poller) ended() bool { return p.ctx.Err() != nil }

// asksKept asks for a context that is kept in a struct.
func (p *poller) asksKept() {
	for !p.ended() {
		work()
		time.Sleep(time.Second)
	}
}

// returns leaves from the case.
func returns(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			work()
		}
	}
}

// breaksOut leaves by a label.
func breaksOut(ctx context.Context, events <-chan string) {
loop:
	for {
		select {
		case <-ctx.Done():
			break loop
		case <-events:
			work()
		}
	}
}

// flags leaves by a variable.
func flags(ctx context.Context, events <-chan string) {
	done := false
	for !done {
		select {
		case <-ctx.Done():
			done = true
		case <-events:
			work()
		}
	}
}

// asksAgain breaks out of the select and asks after it.
func asksAgain(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		if ctx.Err() != nil {
			return
		}
		work()
	}
}

// failsAfterwards leaves the loop because the next call fails.
func failsAfterwards(ctx context.Context, c client.Client) error {
	for {
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		if _, err := load(ctx, c); err != nil {
			return err
		}
	}
}

// drains takes the channel out of the select and finishes what is there.
func drains(ctx context.Context, events <-chan string) {
	done := ctx.Done()
	for {
		select {
		case <-done:
			done = nil
			work()
		case _, ok := <-events:
			if !ok {
				return
			}
		}
	}
}

// selectsDefault asks and works on.
func selectsDefault(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		default:
		}
		work()
		time.Sleep(time.Second)
	}
}

// leavesOnError returns what the failing call returns.
func leavesOnError(ctx context.Context, c client.Client) error {
	for {
		secret, err := load(ctx, c)
		if err != nil {
			return err
		}
		if len(secret.Data) > 0 {
			return nil
		}
		time.Sleep(time.Second)
	}
}

// retriesWhatCanBe goes on if the object is missing, and leaves on all else.
func retriesWhatCanBe(ctx context.Context, c client.Client, key types.NamespacedName) error {
	for {
		err := c.Get(ctx, key, new(corev1.Pod))
		if err == nil || !apierrors.IsNotFound(err) {
			return err
		}
		time.Sleep(time.Second)
	}
}

// recognises asks what kind of error it is.
func recognises(ctx context.Context, c client.Client) {
	for {
		_, err := load(ctx, c)
		if err == nil || errors.Is(err, context.Canceled) {
			return
		}
		time.Sleep(time.Second)
	}
}

// worker is ended by its queue.
func worker(_ context.Context, queue workqueue.TypedRateLimitingInterface[string]) {
	for {
		key, quit := queue.Get()
		if quit {
			return
		}
		klog.Info(key)
		queue.Done(key)
	}
}

type operations struct {
	queue   workqueue.TypedRateLimitingInterface[string]
	stopped atomic.Bool
	mu      sync.Mutex
	cond    *sync.Cond
	closed  bool
	ctx     context.Context
}

func (o *operations) next(ctx context.Context) bool {
	key, quit := o.queue.Get()
	if quit {
		return false
	}
	defer o.queue.Done(key)
	return true
}

// workers are ended by what the worker returns.
func (o *operations) workers(ctx context.Context) {
	for o.next(ctx) {
	}
}

// compress asks the queue.
func (o *operations) compress(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for range ticker.C {
		if o.queue.ShuttingDown() {
			return
		}
		work()
	}
}

// asksFlag is ended by a flag.
func (o *operations) asksFlag(ctx context.Context) {
	for !o.stopped.Load() {
		work()
		time.Sleep(time.Second)
	}
}

func (o *operations) isClosed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

// asksLockedFlag is ended by a flag behind a lock.
func (o *operations) asksLockedFlag(ctx context.Context) {
	for range time.Tick(time.Second) {
		if o.isClosed() {
			return
		}
		work()
	}
}

// waitsOnCondition is woken by a condition variable.
func (o *operations) waitsOnCondition(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closed {
		o.cond.Wait()
	}
}

// receivesUntilClosed is ended by a channel that is closed on Done.
func receivesUntilClosed(ctx context.Context, errs chan error) error {
	go func() {
		<-ctx.Done()
		close(errs)
	}()
	for {
		err, ok := <-errs
		if !ok {
			return nil
		}
		klog.Error(err)
	}
}

// ranges is ended the same way.
func ranges(ctx context.Context, names <-chan string) {
	for name := range names {
		klog.Info(name)
		time.Sleep(time.Second)
	}
}

// watches is ended by the watcher, which was made with the context.
func watches(ctx context.Context, c client.WithWatch) error {
	w, err := c.Watch(ctx, new(corev1.PodList))
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		klog.Info(event.Type)
	}
	return nil
}

// checksOK asks whether the watch is still open.
func checksOK(ctx context.Context, w watch.Interface) {
	for {
		select {
		case event, ok := <-w.ResultChan():
			if !ok {
				return
			}
			klog.Info(event.Type)
		case <-ctx.Done():
			return
		}
	}
}

// leavesOnEmpty leaves when an event is empty.
func leavesOnEmpty(ctx context.Context, w watch.Interface) {
	for {
		select {
		case event := <-w.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				return
			}
			klog.Info(pod.Name)
		case <-ctx.Done():
			return
		}
	}
}

// watchesAnew makes a new watch when an event is empty.
func watchesAnew(ctx context.Context, c client.WithWatch, w watch.Interface) {
	var pod *corev1.Pod
	for {
		select {
		case event := <-w.ResultChan():
			pod, _ = event.Object.(*corev1.Pod)
		case <-ctx.Done():
			return
		}
		if pod == nil {
			w.Stop()
			again, err := c.Watch(ctx, new(corev1.PodList))
			if err != nil {
				return
			}
			w = again
			continue
		}
		klog.Info(pod.Name)
	}
}

// watchesOn has a watcher that sees to that by itself.
func watchesOn(ctx context.Context, w *watchtools.RetryWatcher) {
	for {
		select {
		case event := <-w.ResultChan():
			klog.Info(event.Type)
		case <-ctx.Done():
			return
		}
	}
}

// acceptsUntilClosed is ended by the goroutine that bridges Done to Close.
func acceptsUntilClosed(ctx context.Context, listener net.Listener) {
	go func() {
		<-ctx.Done()
		listener.Close()
	}()
	for {
		conn, err := listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		conn.Close()
	}
}

// reads is ended by the reader.
func reads(ctx context.Context, r *bufio.Reader) {
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return
		}
		klog.Info(line)
	}
}

// counts is bounded.
func counts(ctx context.Context, c client.Client) {
	attempts := 0
	for {
		if _, err := load(ctx, c); err == nil {
			return
		}
		attempts++
		if attempts > 5 {
			return
		}
		time.Sleep(time.Second)
	}
}

// countsDown is a loop over a number.
func countsDown(ctx context.Context, c client.Client) {
	for i := 0; i < 30; i++ {
		if _, err := load(ctx, c); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// hasDeadline is bounded by the clock.
func hasDeadline(ctx context.Context, nodes corelisters.NodeLister) {
	deadline := time.Now().Add(time.Minute)
	for {
		if list, err := nodes.List(labels.Everything()); err == nil && len(list) > 0 {
			return
		}
		if time.Now().After(deadline) {
			return
		}
		time.Sleep(time.Second)
	}
}

// hasTimer is bounded by a timer.
func hasTimer(ctx context.Context) {
	timeout := time.After(time.Minute)
	for {
		select {
		case <-timeout:
			return
		case <-time.After(time.Second):
			work()
		}
	}
}

// collides tries a few names.
func collides(ctx context.Context, c client.Client, pod *corev1.Pod) error {
	collisions := 0
	for {
		collisions++
		if err := c.Create(ctx, pod); err != nil {
			if apierrors.IsAlreadyExists(err) && collisions < 5 {
				continue
			}
			return err
		}
		break
	}
	return nil
}

// pages follows a continue token.
func pages(ctx context.Context, c kubernetes.Interface) error {
	next := ""
	for {
		list, err := c.CoreV1().Pods("").List(ctx, metav1.ListOptions{Continue: next})
		if err != nil {
			return err
		}
		if next = list.Continue; next == "" {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

type iterator struct{ left int }

func (it *iterator) Next() bool { it.left--; return it.left >= 0 }

// iterates ends with the data.
func iterates(ctx context.Context, it *iterator) {
	for it.Next() {
		work()
		time.Sleep(time.Millisecond)
	}
}

// all goes on when one of many fails.
func all(ctx context.Context, c client.Client, pods []corev1.Pod) {
	for i := range pods {
		if err := c.Delete(ctx, &pods[i]); err != nil {
			klog.Error(err)
			continue
		}
		time.Sleep(time.Millisecond)
	}
}

// named has a parameter that hides the package.
func named(context context.Context) {
	for {
		select {
		case <-time.After(time.Second):
			work()
		case <-context.Done():
			return
		}
	}
}

// background never ends, and neither does its context.
func background() { detached(context.Background()) }

func detached(ctx context.Context) {
	for {
		work()
		time.Sleep(time.Second)
	}
}

// process ends by itself when it is told to stop.
func process(ctx context.Context) {
	go func() {
		<-ctx.Done()
		os.Exit(0)
	}()
	for {
		work()
		time.Sleep(time.Second)
	}
}

// serves is ended by a callee that returns nil when the context ends.
func serves(ctx context.Context) {
	for {
		if err := lib.Serve(ctx, "metrics"); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

func serve(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(time.Hour):
		return errors.New("too old")
	}
}

// servesHere is ended the same way.
func servesHere(ctx context.Context) {
	for {
		if err := serve(ctx); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// attempts gives each attempt a deadline of its own, and the attempts end with
// the context.
func attempts(ctx context.Context, c client.Client) {
	for ctx.Err() == nil {
		attempt, cancel := context.WithTimeout(ctx, time.Second)
		_, err := load(attempt, c)
		cancel()
		if err == nil {
			return
		}
	}
}

// wakes is woken by a channel that is no stop channel.
func wakes(ctx context.Context, wake <-chan struct{}) {
	for {
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
		work()
	}
}

// signalled listens to a channel of its own that somebody closes.
func (q *quitter) signalled(ctx context.Context) {
	for {
		select {
		case <-q.stop:
			return
		case <-time.After(time.Second):
			work()
		}
	}
}

// nothingAtHand has no context: who starts it knows that it never ends.
func nothingAtHand() {
	for range time.Tick(time.Minute) {
		work()
	}
}

// suppressed is meant so.
func suppressed(ctx context.Context) {
	for { //nolint:ctxdone // it ends with the process
		work()
		time.Sleep(time.Second)
	}
}

// runsManager gets nil from Start when the context has ended.
func runsManager(ctx context.Context, mgr manager.Manager) {
	for {
		if err := mgr.Start(ctx); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// woken goes round again when it is woken.
func woken(wake <-chan struct{}, events <-chan string) error {
	for {
		select {
		case <-wake:
		case name, ok := <-events:
			if !ok {
				return errors.New(name)
			}
		}
		work()
	}
}

type notifier struct{ changed chan struct{} }

func (n *notifier) Notify() { n.changed <- struct{}{} }

// loop is woken by a field that somebody sends to.
func (n *notifier) loop(ctx context.Context) {
	for {
		select {
		case <-n.changed:
		case <-ctx.Done():
			return
		}
		work()
	}
}

// syncsOnce waits for the caches and leaves either way.
func syncsOnce(ctx context.Context, informer cache.SharedIndexInformer) bool {
	return cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
}

// triesAgain gives each attempt a context of its own; when that is over, it is
// the next one's turn.
func triesAgain(ctx context.Context, results <-chan string) string {
	for {
		attempt, cancel := context.WithTimeout(ctx, time.Second)
		select {
		case <-attempt.Done():
			klog.Info("no answer, once more")
			cancel()
			if ctx.Err() != nil {
				return ""
			}
		case result := <-results:
			cancel()
			return result
		}
	}
}

// triesAttempts does so without asking for the outer one.
func triesAttempts(results <-chan string) string {
	for {
		attempt, cancel := context.WithTimeout(context.Background(), time.Second)
		select {
		case <-attempt.Done():
			cancel()
			continue
		case result := <-results:
			cancel()
			return result
		}
	}
}

// renews replaces a session that has ended.
func renews(ctx context.Context, session context.Context, open func() context.Context) {
	for {
		select {
		case <-session.Done():
			session = open()
		case <-ctx.Done():
			return
		}
	}
}

type sessions struct {
	current context.Context
	watcher watch.Interface
	source  client.WithWatch
}

func (s *sessions) renew(ctx context.Context) { s.current = context.WithoutCancel(ctx) }

func newSessions(ctx context.Context) *sessions { return &sessions{current: ctx} }

// renewsField does so with a field.
func (s *sessions) renewsField(ctx context.Context) {
	for {
		select {
		case <-s.current.Done():
			s.renew(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (s *sessions) restart(ctx context.Context) {
	s.watcher, _ = s.source.Watch(ctx, new(corev1.PodList))
}

// restarts makes a new watch in a method.
func (s *sessions) restarts(ctx context.Context) {
	for {
		select {
		case event := <-s.watcher.ResultChan():
			if event.Object == nil {
				s.restart(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}

func fatal(err error) {
	klog.Error(err)
	os.Exit(1)
}

// dies ends the process when a call fails.
func dies(ctx context.Context, c client.Client) {
	for {
		if _, err := load(ctx, c); err != nil {
			fatal(err)
		}
		time.Sleep(time.Second)
	}
}

// diesElsewhere has a helper in another package for that.
func diesElsewhere(ctx context.Context, c client.Client) {
	for {
		if _, err := load(ctx, c); err != nil {
			lib.LogFatalAndExit(err)
		}
		time.Sleep(time.Second)
	}
}

func (p *poller) find(ctx context.Context) *corev1.Node {
	if ctx.Err() != nil {
		return nil
	}
	node, err := p.node.Get("node")
	if err != nil {
		return new(corev1.Node)
	}
	return node
}

// leavesOnNothing is left when nothing is found, as when the context has ended.
func (p *poller) leavesOnNothing(ctx context.Context) {
	for {
		if p.find(ctx) == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// doneChecker closes its channel once all is there: it is no stop channel.
type doneChecker struct {
	synced func() bool
	ch     chan struct{}
}

func (d *doneChecker) done() <-chan struct{} {
	d.ch = make(chan struct{})
	go func() {
		for !d.synced() {
			time.Sleep(10 * time.Millisecond)
		}
		close(d.ch)
	}()
	return d.ch
}

// exit ends the process, but in tests.
var exit = os.Exit

func exitsByVariable(ctx context.Context, synced func() bool) {
	for !synced() {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			exit(0)
		}
	}
}
