package reconcile

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Func is another name for the same type.
type Func = reconcile.Func

// right makes reconcilers of the cases below. None of them leaves goroutines
// behind.
func (r *Reconciler) right() []Func {
	return []Func{
		waitedByThirdInHelpers, joinedInGeneric, sendsForGroup,
		joinedByWaitGroup, joinedByGo, joinedByErrgroup, joinedWithLimit, joinedInHelper, joinedByDefer,
		joinedInBatches, joinedByLiterals, joinedByWaitGroupOfKubernetes, joinedByOwnGroup, joinedUnlessItFails,
		received, receivedOrDone, receivedAsOften, receivedWhenClosed, collected, fedAndDrained, waitedByThird, futures,
		parallelized, genericJoin,
		cancelledLocally, stoppedLocally, cancelledByCaller, cancelledByGroup,
		r.startOnce, r.mapOfRunning, r.mapThroughHelper, r.loadOrStore, r.compareAndSwap, r.startedFlag, r.nilCheck, r.stateMachine,
		r.tryLock, r.setOfKnown, r.guardInCaller, r.registryOfMonitors, r.recordedAsInProgress, r.cancelsKept, r.stateOfEntry,
		r.previousStoppedFirst, r.previousCancelled,
		r.slotTakenFirst, r.slotInSelect, r.weightedSlot, r.poolWithLimit,
		r.onlyEnqueues, r.onlyRecords, onlyLogs, r.onlyForwards, r.bridge, r.timerEnqueues, r.timerKept, r.timerStopped,
		r.stopFunction, r.copied, r.confirmedBeforeReturn, r.onlyRemembersAndEnqueues, r.literalThatRemembers, r.onceFunc, either, sendsUnlessDone, r.stopsInBackground,
		r.slotTakenByCaller, r.recordedByCaller,
	}
}

func joinedByWaitGroup(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group sync.WaitGroup
	for range 3 {
		group.Add(1)
		go func() {
			defer group.Done()
			_ = slow(req.Name)
		}()
	}
	group.Wait()
	return ctrl.Result{}, nil
}

func joinedByGo(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group sync.WaitGroup
	group.Go(func() { _ = slow(req.Name) })
	group.Wait()
	return ctrl.Result{}, nil
}

func joinedByErrgroup(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return slowWith(ctx, req.Name) })
	return ctrl.Result{}, group.Wait()
}

func joinedWithLimit(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	group := new(errgroup.Group)
	group.SetLimit(4)
	for range 100 {
		group.Go(func() error { return slow(req.Name) })
	}
	return ctrl.Result{}, group.Wait()
}

// joinedInHelper: the helper starts, the caller waits.
func joinedInHelper(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group sync.WaitGroup
	startIn(&group, req.Name)
	waitFor(&group)
	return ctrl.Result{}, nil
}

func startIn(group *sync.WaitGroup, name string) {
	group.Add(1)
	go runIn(group, name)
}

func runIn(group *sync.WaitGroup, name string) {
	defer group.Done()
	_ = slow(name)
}

func waitFor(group *sync.WaitGroup) { group.Wait() }

func joinedByDefer(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group sync.WaitGroup
	defer group.Wait()
	group.Add(1)
	go func() {
		defer func() {
			if err := recover(); err != nil {
				klog.Error(err)
			}
			group.Done()
		}()
		_ = slow(req.Name)
	}()
	return ctrl.Result{}, nil
}

func joinedInBatches(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var err error
	for batch := 0; batch < 10; batch++ {
		var lock sync.Mutex
		group := sync.WaitGroup{}
		group.Add(5)
		for range 5 {
			go func() {
				defer group.Done()
				if e := slow(req.Name); e != nil {
					lock.Lock()
					err = errors.Join(err, e)
					lock.Unlock()
				}
			}()
		}
		group.Wait()
	}
	return ctrl.Result{}, err
}

// joinedByLiterals: started inside a literal that a helper calls.
func joinedByLiterals(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group sync.WaitGroup
	walk([]string{"a", "b"}, func(host string) {
		group.Add(1)
		go func(host string) {
			defer group.Done()
			_ = slow(host)
		}(host)
	})
	group.Wait()
	return ctrl.Result{}, nil
}

func walk(hosts []string, visit func(string)) {
	for _, host := range hosts {
		visit(host)
	}
}

func joinedByWaitGroupOfKubernetes(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group wait.Group
	group.StartWithContext(ctx, func(ctx context.Context) { _ = slowWith(ctx, req.Name) })
	group.Wait()
	return ctrl.Result{}, nil
}

// tasks is a group of the package's own.
type tasks struct{ group sync.WaitGroup }

func (t *tasks) start(work func()) {
	t.group.Add(1)
	go func() {
		defer t.group.Done()
		work()
	}()
}

func (t *tasks) finish() { t.group.Wait() }

func joinedByOwnGroup(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	t := new(tasks)
	t.start(func() { _ = slow(req.Name) })
	t.finish()
	return ctrl.Result{}, nil
}

// joinedUnlessItFails: on an error some may still run; they end soon.
func joinedUnlessItFails(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group sync.WaitGroup
	for range 3 {
		if err := slow(req.Name); err != nil {
			return ctrl.Result{}, err
		}
		group.Add(1)
		go func() {
			defer group.Done()
			_ = slow(req.Name)
		}()
	}
	group.Wait()
	return ctrl.Result{}, nil
}

func received(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := make(chan error)
	go func() { result <- slow(req.Name) }()
	return ctrl.Result{}, <-result
}

func receivedOrDone(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := make(chan error, 1)
	go func() { result <- slowWith(ctx, req.Name) }()
	select {
	case err := <-result:
		return ctrl.Result{}, err
	case <-ctx.Done():
		return ctrl.Result{}, ctx.Err()
	}
}

func receivedAsOften(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	done := make(chan error, 2)
	go func() { done <- slow(req.Name) }()
	go func() { done <- slow(req.Namespace) }()
	for range 2 {
		select {
		case err := <-done:
			if err != nil {
				return ctrl.Result{}, err
			}
		case <-time.After(time.Minute):
			return ctrl.Result{}, errors.New("too slow")
		}
	}
	return ctrl.Result{}, nil
}

func receivedWhenClosed(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = slow(req.Name)
	}()
	<-done
	return ctrl.Result{}, nil
}

func collected(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	results := make(chan error)
	go func() {
		defer close(results)
		for range 3 {
			results <- slow(req.Name)
		}
	}()
	var all error
	for err := range results {
		all = errors.Join(all, err)
	}
	return ctrl.Result{}, all
}

// fedAndDrained: a feeder and workers, all awaited.
func fedAndDrained(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	work := make(chan string)
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		defer group.Done()
		defer close(work)
		for range 10 {
			work <- req.Name
		}
	}()
	for range 3 {
		group.Add(1)
		go func() {
			defer group.Done()
			for name := range work {
				_ = slow(name)
			}
		}()
	}
	group.Wait()
	return ctrl.Result{}, nil
}

// waitedByThird: the errors are drained until a goroutine that waits for the
// others says that they are done.
func waitedByThird(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	errs, done := make(chan error), make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := slow(req.Name); err != nil {
				errs <- err
			}
		}()
	}
	go func() {
		group.Wait()
		close(done)
	}()
	var all error
	for {
		select {
		case <-done:
			return ctrl.Result{}, all
		case err := <-errs:
			all = errors.Join(all, err)
		}
	}
}

// futures: the helper returns the channel, the caller receives.
func futures(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, <-inBackground(req.Name)
}

func inBackground(name string) <-chan error {
	result := make(chan error, 1)
	go func() { result <- slow(name) }()
	return result
}

func parallelized(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	workqueue.ParallelizeUntil(ctx, 4, 100, func(int) { _ = slow(req.Name) })
	return ctrl.Result{}, nil
}

func genericJoin(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	forAll([]string{req.Name, req.Namespace}, slow)
	return ctrl.Result{}, nil
}

func forAll[T any](items []T, work func(T) error) {
	var group sync.WaitGroup
	for _, item := range items {
		group.Go(func() { _ = work(item) })
	}
	group.Wait()
}

// cancelledLocally: the ticker ends with the call.
func cancelledLocally(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	go func() {
		for {
			select {
			case <-ticker.C:
				klog.InfoS("still waiting", "name", req.Name)
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctrl.Result{}, slowWith(ctx, req.Name)
}

func stoppedLocally(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	stop := make(chan struct{})
	defer close(stop)
	go wait.Until(func() { _ = slow(req.Namespace) }, time.Second, stop)
	return ctrl.Result{}, slow(req.Name)
}

func cancelledByCaller(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heartbeat(ctx, req.Name)
	return ctrl.Result{}, slowWith(ctx, req.Name)
}

func heartbeat(ctx context.Context, name string) {
	go wait.UntilWithContext(ctx, func(ctx context.Context) { _ = slowWith(ctx, name) }, time.Second)
}

func cancelledByGroup(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	group, groupCtx := errgroup.WithContext(ctx)
	go wait.UntilWithContext(groupCtx, func(ctx context.Context) { _ = slowWith(ctx, req.Name) }, time.Second)
	group.Go(func() error { return slow(req.Name) })
	return ctrl.Result{}, group.Wait()
}

func (r *Reconciler) startOnce(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.once.Do(func() { go poll(req.Name) })
	return ctrl.Result{}, nil
}

func (r *Reconciler) mapOfRunning(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[req.Name] {
		return ctrl.Result{}, nil
	}
	r.running[req.Name] = true
	go func() {
		_ = slow(req.Name)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, req.Name)
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) mapThroughHelper(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if r.isRunning(req.Name) {
		return ctrl.Result{}, nil
	}
	r.markRunning(req.Name)
	go poll(req.Name)
	return ctrl.Result{}, nil
}

func (r *Reconciler) isRunning(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.running[name]
	return ok
}

func (r *Reconciler) markRunning(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[name] = true
}

func (r *Reconciler) loadOrStore(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if _, running := r.seen.LoadOrStore(req.Name, true); !running {
		go poll(req.Name)
	}
	return ctrl.Result{}, nil
}

func (r *Reconciler) compareAndSwap(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.busy.CompareAndSwap(false, true) {
		return ctrl.Result{}, nil
	}
	go func() {
		defer r.busy.Store(false)
		_ = slow(req.Name)
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) startedFlag(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.started {
		go poll(req.Name)
		r.started = true
	}
	return ctrl.Result{}, nil
}

func (r *Reconciler) nilCheck(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watcher == nil {
		ctx, cancel := context.WithCancel(context.Background())
		r.watcher = &monitor{ctx: ctx, cancel: cancel}
		go r.watcher.loop(req.Name)
	}
	return ctrl.Result{}, nil
}

func (r *Reconciler) stateMachine(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	switch r.state {
	case 0:
		r.state = 1
		go poll(req.Name)
	}
	return ctrl.Result{}, nil
}

func (r *Reconciler) tryLock(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.mu.TryLock() {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	go func() {
		defer r.mu.Unlock()
		_ = slow(req.Name)
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) setOfKnown(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.known.Has(req.Name) {
		r.known.Insert(req.Name)
		go poll(req.Name)
	}
	return ctrl.Result{}, nil
}

// guardInCaller: the check stands in the caller of what starts it.
func (r *Reconciler) guardInCaller(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.running[req.Name] {
		r.startLoop(req.Name)
		r.running[req.Name] = true
	}
	return ctrl.Result{}, nil
}

func (r *Reconciler) startLoop(name string) { go poll(name) }

// registryOfMonitors: one for each object, kept so that it can be closed.
func (r *Reconciler) registryOfMonitors(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.monitors[req.Name] == nil {
		r.monitors[req.Name] = newMonitor(req.Name)
	}
	return ctrl.Result{}, nil
}

// recordedAsInProgress: the map of what is in progress is written first, and
// told when it is over; others look there.
func (r *Reconciler) recordedAsInProgress(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.mu.Lock()
	r.progress[req.Name] = "running"
	r.mu.Unlock()
	go func() {
		if err := slow(req.Name); err != nil {
			r.setProgress(req.Name, err.Error())
		}
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) setProgress(name, progress string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress[name] = progress
}

func (r *Reconciler) cancelsKept(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if _, ok := r.cancels[req.Name]; !ok {
		ctx, cancel := context.WithCancel(context.Background())
		r.cancels[req.Name] = cancel
		go wait.UntilWithContext(ctx, func(ctx context.Context) { _ = slowWith(ctx, req.Name) }, time.Second)
	}
	return ctrl.Result{}, nil
}

// stateOfEntry: the flag belongs to the entry of a registry.
func (r *Reconciler) stateOfEntry(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	entry := entries[req.Name]
	if entry.started {
		return ctrl.Result{}, nil
	}
	go poll(req.Name)
	entry.started = true
	return ctrl.Result{}, nil
}

var entries = map[string]*struct{ started bool }{}

func (r *Reconciler) previousStoppedFirst(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if r.previous != nil {
		close(r.previous.stop)
		<-r.previous.stopped
	}
	r.previous = &loop{stop: make(chan struct{}), stopped: make(chan struct{})}
	go r.previous.run(req.Name)
	return ctrl.Result{}, nil
}

func (r *Reconciler) previousCancelled(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if r.cancel != nil {
		r.cancel()
	}
	r.loopCtx, r.cancel = context.WithCancel(context.Background())
	go wait.UntilWithContext(r.loopCtx, func(ctx context.Context) { _ = slowWith(ctx, req.Name) }, time.Second)
	return ctrl.Result{}, nil
}

func (r *Reconciler) slotTakenFirst(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.slots <- struct{}{}
	go func() {
		defer func() { <-r.slots }()
		_ = slow(req.Name)
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) slotInSelect(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	select {
	case r.slots <- struct{}{}:
	default:
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	go func() {
		defer func() { <-r.slots }()
		_ = slow(req.Name)
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) weightedSlot(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.weighted.Acquire(ctx, 1); err != nil {
		return ctrl.Result{}, err
	}
	go func() {
		defer r.weighted.Release(1)
		_ = slow(req.Name)
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) poolWithLimit(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.pool.Go(func() error { return slow(req.Name) })
	return ctrl.Result{}, nil
}

func (r *Reconciler) onlyEnqueues(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go r.queue.Add(req.Name)
	go func() { r.queue.AddAfter(req.Namespace, time.Minute) }()
	return ctrl.Result{}, nil
}

func (r *Reconciler) onlyRecords(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go r.recorder.Event(new(v1.Backup), "Normal", "Seen", req.Name)
	return ctrl.Result{}, nil
}

func onlyLogs(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { klog.InfoS("reconciled", "name", req.Name) }()
	return ctrl.Result{}, nil
}

func (r *Reconciler) onlyForwards(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { r.events <- req.Name }()
	return ctrl.Result{}, nil
}

// bridge turns a stop channel into a cancelled context.
func (r *Reconciler) bridge(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		<-r.stop
		cancel()
	}()
	return ctrl.Result{}, slowWith(ctx, req.Name)
}

func (r *Reconciler) timerEnqueues(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	time.AfterFunc(time.Minute, func() { r.queue.Add(req.Name) })
	return ctrl.Result{}, nil
}

func (r *Reconciler) timerKept(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.timer = time.AfterFunc(time.Minute, func() { _ = slow(req.Name) })
	return ctrl.Result{}, nil
}

func (r *Reconciler) timerStopped(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	timeout := time.AfterFunc(time.Minute, func() { _ = slow(req.Namespace) })
	defer timeout.Stop()
	return ctrl.Result{}, slow(req.Name)
}

// stopFunction: the helper hands out what ends it, and the caller uses it.
func (r *Reconciler) stopFunction(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	stop := renewLease(req.Name)
	defer stop()
	return ctrl.Result{}, slow(req.Name)
}

func renewLease(name string) func() {
	stop := make(chan struct{})
	go wait.Until(func() { _ = slow(name) }, time.Second, stop)
	return func() { close(stop) }
}

// copied: joined, and with an object of its own.
func (r *Reconciler) copied(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, err
	}
	var group sync.WaitGroup
	group.Go(func() { provision(backup.DeepCopy()) })
	group.Wait()
	return ctrl.Result{}, nil
}

// confirmedBeforeReturn: it starts what the server does not have yet, and waits
// until the server has it.
func (r *Reconciler) confirmedBeforeReturn(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ready, err := r.replicaExists(ctx, req.Name)
	if err != nil || ready {
		return ctrl.Result{}, err
	}
	go slow(req.Name)
	return ctrl.Result{}, wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		return r.replicaExists(ctx, req.Name)
	})
}

func (r *Reconciler) replicaExists(ctx context.Context, name string) (bool, error) {
	return true, slowWith(ctx, name)
}

// onlyRemembersAndEnqueues: a map of another library, and the queue.
func (r *Reconciler) onlyRemembersAndEnqueues(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() {
		r.known.Insert(req.Name)
		r.seen.Store(req.Name, true)
		r.queue.AddAfter(req.Name, time.Minute)
	}()
	return ctrl.Result{}, nil
}

// literalThatRemembers: the flag belongs to a literal that is kept.
func (r *Reconciler) literalThatRemembers(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	start, ok := starters[req.Name]
	if !ok {
		started := false
		start = func() {
			if !started {
				started = true
				go poll(req.Name)
			}
		}
		starters[req.Name] = start
	}
	start()
	return ctrl.Result{}, nil
}

var starters = map[string]func(){}

func (r *Reconciler) onceFunc(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	startAll()
	return ctrl.Result{}, nil
}

var startAll = sync.OnceFunc(func() { go poll("all") })

// either: one of the two is sent, and received.
func either(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	names, errs := make(chan string), make(chan error)
	go func() {
		if err := slow(req.Name); err != nil {
			errs <- err
			return
		}
		names <- req.Name
	}()
	select {
	case <-names:
		return ctrl.Result{}, nil
	case err := <-errs:
		return ctrl.Result{}, err
	}
}

// sendsUnlessDone: the goroutine gives up as its caller does.
func sendsUnlessDone(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	result := make(chan error)
	go func() {
		select {
		case result <- slowWith(ctx, req.Name):
		case <-ctx.Done():
		}
	}()
	select {
	case err := <-result:
		return ctrl.Result{}, err
	case <-ctx.Done():
		return ctrl.Result{}, ctx.Err()
	}
}

// stopsInBackground: there are no more of these than there is to stop.
func (r *Reconciler) stopsInBackground(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if cancel, ok := r.cancels[req.Name]; ok {
		go cancel()
	}
	if r.queue.Len() == 0 {
		go r.queue.ShutDownWithDrain()
		go func() { r.watcher.Close() }()
	}
	return ctrl.Result{}, nil
}

// SetupWithManager registers; what it starts runs once.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.pool.SetLimit(10)
	go poll("setup")
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		go poll("runnable")
		<-ctx.Done()
		return nil
	})); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(new(v1.Backup)).Complete(r)
}

// Start is a runnable of the manager: long-lived workers belong here.
func (m *monitor) Start(ctx context.Context) error {
	for range 3 {
		go wait.UntilWithContext(ctx, func(ctx context.Context) { _ = slowWith(ctx, "worker") }, time.Second)
	}
	<-ctx.Done()
	return nil
}

// replaced keeps what stops each object's loop in a concurrent map: the next
// reconcile stops the loop of the one before.
type replaced struct{ loops sync.Map }

func (r *replaced) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	if value, loaded := r.loops.LoadOrStore(req.Name, cancel); loaded {
		if stop, ok := value.(context.CancelFunc); ok {
			stop()
		}
		r.loops.Store(req.Name, cancel)
	}
	go r.loop(ctx)
	return ctrl.Result{}, nil
}

func (r *replaced) loop(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// The slot, and the entry, are taken by who calls the function that starts the
// goroutine.

func (r *Reconciler) slotTakenByCaller(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	select {
	case r.slots <- struct{}{}:
	default:
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	r.startInSlot(req.Name)
	return ctrl.Result{}, nil
}

func (r *Reconciler) startInSlot(name string) {
	go func() {
		defer func() { <-r.slots }()
		_ = slow(name)
	}()
}

func (r *Reconciler) recordedByCaller(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.mu.Lock()
	r.progress[req.Name] = "running"
	r.mu.Unlock()
	r.startRecorded(req.Name)
	return ctrl.Result{}, nil
}

func (r *Reconciler) startRecorded(name string) {
	go func() {
		if err := slow(name); err != nil {
			r.setProgress(name, err.Error())
		}
	}()
}

// waitedByThirdInHelpers: helpers start the senders, and who waits for them.
func waitedByThirdInHelpers(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	errs, done := make(chan error), make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		group.Add(1)
		sendInto(&group, errs, req.Name)
	}
	closeAfter(&group, done)
	var all error
	for {
		select {
		case <-done:
			return ctrl.Result{}, all
		case err := <-errs:
			all = errors.Join(all, err)
		}
	}
}

func sendInto(group *sync.WaitGroup, errs chan<- error, name string) {
	go func() {
		defer group.Done()
		if err := slow(name); err != nil {
			errs <- err
		}
	}()
}

func closeAfter(group *sync.WaitGroup, done chan struct{}) {
	go func() {
		group.Wait()
		close(done)
	}()
}

// joinedInGeneric: a generic function runs the literal that starts it.
func joinedInGeneric(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group sync.WaitGroup
	group.Add(1)
	runWith(&group, func(group *sync.WaitGroup) { go runIn(group, req.Name) })
	group.Wait()
	return ctrl.Result{}, nil
}

func runWith[T any](x T, do func(T)) { do(x) }

// sendsForGroup: the starting function comes as a value that is handed on first.
func sendsForGroup(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	errs, done := make(chan error), make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		group.Add(1)
		sendInto(&group, errs, req.Name)
	}
	newHooks(withClose(closeWhenDone)).close(&group, done)
	var all error
	for {
		select {
		case <-done:
			return ctrl.Result{}, all
		case err := <-errs:
			all = errors.Join(all, err)
		}
	}
}

type hooks struct {
	close func(*sync.WaitGroup, chan struct{})
}

func withClose(do func(*sync.WaitGroup, chan struct{})) func(*hooks) {
	return func(h *hooks) { h.close = do }
}

func newHooks(options ...func(*hooks)) *hooks {
	h := &hooks{}
	for _, option := range options {
		option(h)
	}
	return h
}

func closeWhenDone(group *sync.WaitGroup, done chan struct{}) {
	go func() {
		group.Wait()
		close(done)
	}()
}
