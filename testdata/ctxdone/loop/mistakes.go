// Package loop has loops that go on when their context has ended.
package loop

import (
	"context"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opvet/opvet/testdata/ctxdone/loop/lib"
)

func work() { klog.Info("working") }

// sleeps has no way out at all.
func sleeps(ctx context.Context) {
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even ctx; wait in a select with ctx\.Done\(\)`
		work()
		time.Sleep(time.Minute)
	}
}

// ticks ranges over a channel that nobody closes.
func ticks(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for range ticker.C { // want `hygiene: shutdown hangs: nothing ends this loop, not even ctx`
		work()
	}
}

// tick does the same with time.Tick.
func tick(stop <-chan struct{}) {
	for range time.Tick(time.Second) { // want `hygiene: shutdown hangs: nothing ends this loop, not even stop`
		work()
	}
}

// after receives from a new timer each time.
func after(ctx context.Context, period time.Duration) {
	for { // want `nothing ends this loop`
		<-time.After(period)
		work()
	}
}

// selects has cases for everything but the end.
func selects(ctx context.Context, events <-chan string) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even ctx; add a case for ctx\.Done\(\) that returns`
		select {
		case <-ticker.C:
			work()
		case name := <-events:
			klog.Info(name)
		}
	}
}

// unnamed does not even give its context a name.
func unnamed(_ context.Context) {
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even the unnamed context of unnamed`
		work()
		time.Sleep(time.Second)
	}
}

// withClock sleeps on a clock of Kubernetes' own.
func withClock(ctx context.Context, c clock.Clock) {
	for { // want `nothing ends this loop`
		work()
		c.Sleep(time.Second)
	}
}

// starts leaves the loop to a goroutine.
func starts(ctx context.Context) {
	go func() {
		for { // want `hygiene: this goroutine outlives what started it: nothing ends this loop, not even ctx of what starts it`
			work()
			time.Sleep(time.Second)
		}
	}()
	<-ctx.Done()
}

// startsNamed leaves it to a function that has no context.
func startsNamed(ctx context.Context) {
	go forever()
	<-ctx.Done()
}

func forever() {
	for { // want `hygiene: this goroutine outlives what started it: nothing ends this loop, not even ctx of what starts it; hand ctx on, and wait in a select with ctx\.Done\(\)`
		work()
		time.Sleep(time.Second)
	}
}

// callsNamed runs such a function itself.
func callsNamed(stop <-chan struct{}) {
	workAway(time.Second)
}

func workAway(period time.Duration) {
	for range time.Tick(period) { // want `hygiene: shutdown hangs: nothing ends this loop, not even stop`
		work()
	}
}

// syncer is a Runnable whose goroutine stays behind.
type syncer struct {
	client.Client
	period time.Duration
}

var _ manager.Runnable = new(syncer)

// Start is called by the manager.
func (s *syncer) Start(ctx context.Context) error {
	s.run(ctx.Done())
	return nil
}

func (s *syncer) run(stop <-chan struct{}) {
	go func() {
		for { // want `hygiene: work goes on after leadership is lost: nothing ends this loop, not even stop of what starts it; wait in a select with stop`
			<-time.After(s.period)
			work()
		}
	}()
	<-stop
}

// poller keeps its context in a struct.
type poller struct {
	ctx  context.Context
	stop chan struct{}
	node corelisters.NodeLister
}

func newPoller(ctx context.Context, node corelisters.NodeLister) *poller {
	return &poller{ctx: ctx, node: node, stop: make(chan struct{})}
}

func (p *poller) poll() {
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even p\.ctx`
		work()
		time.Sleep(time.Second)
	}
}

// quitter has a stop channel that its Close closes.
type quitter struct{ stop chan struct{} }

func (q *quitter) Close() { close(q.stop) }

func (q *quitter) work() {
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even q\.stop`
		work()
		time.Sleep(time.Second)
	}
}

// breaks leaves the select, not the loop.
func breaks(ctx context.Context, events <-chan string) {
	for {
		select {
		case <-ctx.Done(): // want `hygiene: this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select; return from the case`
			break
		case name := <-events:
			klog.Info(name)
		}
	}
}

// logs forgets the return.
func logs(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	for {
		select {
		case <-ctx.Done(): // want `hygiene: this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select`
			klog.Info("shutting down")
		case <-ticker.C:
			work()
		}
	}
}

// checksFirst breaks out of a select with a default, and works on.
func checksFirst(ctx context.Context) {
	for {
		select {
		case <-ctx.Done(): // want `this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select`
			break
		default:
		}
		work()
	}
}

// lastTry tries once more when the time is up, and for ever if that fails.
func lastTry(ctx context.Context, try func() error) {
	deadline, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for {
		select {
		case <-time.After(time.Second):
			if try() == nil {
				return
			}
		case <-deadline.Done(): // want `this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select`
			if err := try(); err == nil {
				return
			}
			klog.Info("giving up")
		case <-ctx.Done():
			return
		}
	}
}

// continues goes on although the context says no.
func continues(ctx context.Context, events <-chan string) {
	for {
		select {
		case <-ctx.Done(): // want `hygiene: this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select`
			continue
		case <-events:
			work()
		}
	}
}

// retriesGet goes on whatever the error is.
func retriesGet(ctx context.Context, c client.Client, key types.NamespacedName) *corev1.Pod {
	for { // want `hygiene: shutdown hangs: once its context has ended, Get fails at once and this loop retries forever; wait in a select with ctx\.Done\(\)`
		pod := new(corev1.Pod)
		if err := c.Get(ctx, key, pod); err != nil {
			klog.Error(err)
			time.Sleep(time.Second)
			continue
		}
		return pod
	}
}

// retriesUnlessMissing leaves on one error only.
func retriesUnlessMissing(ctx context.Context, c kubernetes.Interface) *corev1.Node {
	for { // want `hygiene: shutdown hangs: once its context has ended, Get fails at once and this loop retries forever`
		node, err := c.CoreV1().Nodes().Get(ctx, "node", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			return node
		}
		time.Sleep(time.Second)
	}
}

// load is a helper that fails with its context.
func load(ctx context.Context, c client.Client) (*corev1.Secret, error) {
	secret := new(corev1.Secret)
	if err := c.Get(ctx, types.NamespacedName{Name: "connection"}, secret); err != nil {
		return nil, err
	}
	return secret, nil
}

// retriesHelper waits for what a helper finds.
func retriesHelper(ctx context.Context, c client.Client) *corev1.Secret {
	for { // want `hygiene: shutdown hangs: once its context has ended, load fails at once and this loop retries forever`
		secret, err := load(ctx, c)
		if err != nil {
			klog.Info("not there yet")
			time.Sleep(time.Minute)
			continue
		}
		return secret
	}
}

// condition says so in the loop's condition.
func condition(ctx context.Context, c client.Client) {
	_, err := load(ctx, c)
	for err != nil { // want `hygiene: shutdown hangs: once its context has ended, load fails at once and this loop retries forever`
		time.Sleep(time.Second)
		_, err = load(ctx, c)
	}
}

// expired retries on a context that had a deadline.
func expired(c client.Client) *corev1.Secret {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for { // want `this goes on when time is up: once its context has ended, load fails at once and this loop retries forever; wait in a select with the context's Done`
		if secret, err := load(ctx, c); err == nil {
			return secret
		}
		time.Sleep(time.Second)
	}
}

// neverAsked looks at the deadline only when it does not matter any more.
func neverAsked() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for { // want `this goes on when time is up: nothing but success ends this loop, not even the deadline set on line \d+`
		if _, err := net.LookupHost("database"); err != nil {
			<-time.After(time.Second)
			continue
		}
		return ctx.Err()
	}
}

// waitsForNodes waits for what others do.
func waitsForNodes(ctx context.Context, nodes corelisters.NodeLister) {
	for { // want `shutdown hangs: nothing but success ends this loop, not even ctx`
		ready := true
		time.Sleep(time.Second)
		list, err := nodes.List(labels.Everything())
		if err != nil {
			lib.LogFatalAndExit(err)
		}
		for _, node := range list {
			if node.Annotations["ready"] != "true" {
				ready = false
				break
			}
		}
		if ready {
			break
		}
	}
}

// waitsForPhase polls with a context of nobody.
func waitsForPhase(ctx context.Context, c kubernetes.Interface) {
	for { // want `shutdown hangs: nothing but success ends this loop, not even ctx`
		pod, err := c.CoreV1().Pods("default").Get(context.Background(), "pod", metav1.GetOptions{})
		if err == nil && pod.Status.Phase == corev1.PodRunning {
			return
		}
		time.Sleep(time.Second)
	}
}

// waitsForSync is cache.WaitForCacheSync without the channel.
func waitsForSync(informer cache.SharedIndexInformer, stop <-chan struct{}) {
	for !informer.HasSynced() { // want `shutdown hangs: nothing but success ends this loop, not even stop`
		time.Sleep(100 * time.Millisecond)
	}
}

// batch retries what failed until nothing fails.
func batch(ctx context.Context, c client.Client, pending map[string]bool) {
	for { // want `shutdown hangs: nothing but success ends this loop, not even ctx`
		failed := map[string]bool{}
		for name := range pending {
			if err := c.Get(context.Background(), types.NamespacedName{Name: name}, new(corev1.Pod)); err != nil {
				failed[name] = true
			}
		}
		if len(failed) == 0 {
			break
		}
		pending = failed
		time.Sleep(time.Second)
	}
}

// accepts ignores that the listener was closed.
func accepts(ctx context.Context, listener net.Listener) {
	go func() {
		<-ctx.Done()
		listener.Close()
	}()
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even ctx; return when Accept fails`
		conn, err := listener.Accept()
		if err != nil {
			klog.Error(err)
			continue
		}
		conn.Close()
	}
}

// closedWatch reads zero events at full speed once the server has closed the
// watch.
func closedWatch(ctx context.Context, w watch.Interface) {
	for {
		select {
		case event := <-w.ResultChan(): // want `this loop spins at full speed once the server closes the watch, as it does every few minutes; receive with ", ok", and return or watch anew if it is false`
			if event.Type == watch.Added {
				work()
			}
		case <-ctx.Done():
			return
		}
	}
}

// closedForAWhile gives up after a minute, closed or not.
func closedForAWhile(ctx context.Context, w watch.Interface) {
	timeout := time.After(time.Minute)
	for {
		select {
		case event := <-w.ResultChan(): // want `hygiene: this loop spins at full speed once the server closes the watch`
			if event.Type == watch.Added {
				work()
			}
		case <-timeout:
			return
		case <-ctx.Done():
			return
		}
	}
}

// rewatches starts the inner loop anew when the context has ended.
func rewatches(ctx context.Context, c client.WithWatch) {
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even ctx`
		w, err := c.Watch(ctx, new(corev1.PodList))
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		for event := range w.ResultChan() {
			klog.Info(event.Type)
		}
	}
}

// tunnel has a stop channel that its Run gets from a context.
type tunnel struct{ quit chan struct{} }

func (t *tunnel) Start(ctx context.Context) error {
	t.serve(ctx.Done())
	return nil
}

func (t *tunnel) serve(stop <-chan struct{}) {
	for {
		select {
		case <-stop: // want `this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select`
			klog.Info("stopping")
		case <-time.After(time.Second):
			work()
		}
	}
}

func (t *tunnel) Close() { close(t.quit) }

func (t *tunnel) read(packets <-chan string) {
	for {
		select {
		case <-t.quit: // want `this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select`
			break
		case <-packets:
			work()
		}
	}
}

// runs hands its channel to an informer as well.
func runs(informer cache.SharedIndexInformer, stop <-chan struct{}, events <-chan string) {
	go informer.Run(stop)
	for {
		select {
		case <-stop: // want `this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select`
			break
		case <-events:
			work()
		}
	}
}

// waitsForCaches spins: it gets false at once when the channel is closed.
func waitsForCaches(informer cache.SharedIndexInformer, stop <-chan struct{}) {
	for !cache.WaitForCacheSync(stop, informer.HasSynced) { // want `hygiene: shutdown hangs: once its channel is closed, WaitForCacheSync returns false at once and this loop retries forever; return when stop is closed`
		klog.Info("still waiting")
	}
}

type consumer struct {
	queue workqueue.TypedRateLimitingInterface[string]
}

// Run starts a worker.
func (c *consumer) Run(ctx context.Context) {
	go wait.UntilWithContext(ctx, c.runWorker, time.Second)
	<-ctx.Done()
	c.queue.ShutDown()
}

// runWorker does not see that the queue was shut down.
func (c *consumer) runWorker(ctx context.Context) {
	for c.processNext() { // want `hygiene: this outlives its context: nothing ends this loop, not even ctx`
	}
}

func (c *consumer) processNext() bool {
	key, quit := c.queue.Get()
	if quit {
		return true
	}
	c.queue.Done(key)
	return true
}

// waitsForCommand waits for what a program prints.
func waitsForCommand(ctx context.Context) {
	for { // want `shutdown hangs: nothing but success ends this loop, not even ctx`
		out, err := exec.Command("ovs-vsctl", "show").Output()
		if err == nil && strings.Contains(string(out), "bridge") {
			return
		}
		time.Sleep(time.Second)
	}
}

// deletes waits until an object is gone.
func deletes(ctx context.Context, c client.Client, pod *corev1.Pod) {
	for { // want `hygiene: shutdown hangs: once its context has ended, Delete fails at once and this loop retries forever`
		if err := c.Delete(ctx, pod); apierrors.IsNotFound(err) {
			return
		}
		time.Sleep(time.Second)
	}
}

// ctxAlias is another name for a context.
type ctxAlias = context.Context

// aliased has its context under that name.
func aliased(ctx ctxAlias) {
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even ctx`
		work()
		time.Sleep(time.Second)
	}
}

// store is generic.
type store[T client.Object] struct {
	client.Client
	items map[string]T
}

// refresh has the loop in a generic method.
func (s *store[T]) refresh(ctx context.Context, ticker *time.Ticker) {
	for range ticker.C { // want `hygiene: shutdown hangs: nothing ends this loop, not even ctx`
		for name, item := range s.items {
			if err := s.Get(ctx, types.NamespacedName{Name: name}, item); err != nil {
				klog.Error(err)
			}
		}
	}
}

// nested has an endless loop in one that is right.
func nested(ctx context.Context, names []string) {
	for ctx.Err() == nil {
		for { // want `shutdown hangs: nothing but success ends this loop, not even ctx`
			if _, err := net.LookupHost(names[0]); err == nil {
				break
			}
			time.Sleep(time.Second)
		}
		work()
	}
}

// leads goes on when leadership is lost.
func leads(client kubernetes.Interface) leaderelection.LeaderCallbacks {
	return leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) {
			for { // want `hygiene: work goes on after leadership is lost: nothing ends this loop, not even ctx`
				work()
				time.Sleep(time.Second)
			}
		},
		OnStoppedLeading: func() {},
	}
}

// streams serves a request that may be over.
func streams(w http.ResponseWriter, r *http.Request) {
	for range time.Tick(time.Second) { // want `hygiene: requests that nobody waits for pile up in ServeHTTP: nothing ends this loop, not even r\.Context\(\)`
		w.Write([]byte("tick"))
	}
}

var _ = http.HandlerFunc(streams)
