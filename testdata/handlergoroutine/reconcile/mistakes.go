package reconcile

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Reconcile starts the work and forgets it.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go slow(req.Name) // want `Reconcile starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
	return ctrl.Result{}, nil
}

// funcs makes reconcilers of the cases below.
func (r *Reconciler) funcs() []reconcile.Func {
	return []reconcile.Func{
		tickerLoop, endlessFor, r.untilStopped, reconcileContext, r.capturedObject, r.capturedByLiteral, r.writtenByTheGoroutine, r.writtenAndRead, r.readAnew, r.capturedCopy,
		r.copiedForTheGoroutine, r.copiedAndGoneOnWith, r.deferredBeside,
		groupNotWaited, r.groupOfTheReconciler, waitGroupWithoutWait, r.helperChain, r.functionInField,
		genericHelper, ownTimeout, gaveUpWaiting, returnsBeforeReceiving, timer, waitGroupHelper,
		r.throughInterface, r.configurationFlag, r.statusIsNoGuard, deferredStart, r.informerForEachObject,
		r.startedWhenRunning, nobodyReceives, insideRetry, r.slotTakenInside, r.monitorDropped,
		r.loopLeft, r.deadlineOfItsOwn, r.flagOfTheCall, r.flagOfALoop, r.fetchedState, eitherOrTimeout, cancelledButStuck,
	}
}

func tickerLoop(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `Reconcile starts a goroutine that never ends: memory grows each time.*handlergoroutine/endless`
		for range time.NewTicker(time.Minute).C {
			_ = slow(req.Name)
		}
	}()
	return ctrl.Result{}, nil
}

func endlessFor(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go poll(req.Name) // want `handlergoroutine/endless`
	return ctrl.Result{}, nil
}

func poll(name string) {
	for {
		_ = slow(name)
		time.Sleep(time.Second)
	}
}

func (r *Reconciler) untilStopped(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go wait.Until(func() { _ = slow(req.Name) }, time.Minute, r.stop) // want `handlergoroutine/endless`
	return ctrl.Result{}, nil
}

// The context of a reconcile is not cancelled when it returns.
func reconcileContext(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `handlergoroutine/endless`
		ticker := time.NewTicker(time.Minute)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				_ = slow(req.Name)
			}
		}
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) capturedObject(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go provision(backup) // want `^leak: Reconcile starts a goroutine that keeps the \*v1\.Backup: others change it meanwhile.*handlergoroutine/captured-object`
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

// A copy by value is nobody else's.
func (r *Reconciler) capturedCopy(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, err
	}
	keep(backup)
	return ctrl.Result{}, nil
}

func keep(backup v1.Backup) {
	go func() { // want `keep \(from Reconcile\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines.*handlergoroutine/per-reconcile`
		time.Sleep(time.Hour)
		_ = slow(backup.Name)
	}()
}

func (r *Reconciler) capturedByLiteral(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, err
	}
	go func() { // want `^hygiene: .*handlergoroutine/captured-object`
		time.Sleep(time.Hour)
		r.recorder.Event(&backup, "Normal", "Late", "an hour later")
	}()
	return ctrl.Result{}, nil
}

func groupNotWaited(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group errgroup.Group
	group.Go(func() error { return slow(req.Name) }) // want `handlergoroutine/per-reconcile`
	return ctrl.Result{}, nil
}

// groupOfTheReconciler: the group is waited for at shutdown only.
func (r *Reconciler) groupOfTheReconciler(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.group.Go(func() { _ = slow(req.Name) }) // want `handlergoroutine/per-reconcile`
	return ctrl.Result{}, nil
}

// Stop waits for all.
func (r *Reconciler) Stop() { r.group.Wait() }

func waitGroupWithoutWait(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group sync.WaitGroup
	group.Add(1)
	go func() { // want `handlergoroutine/per-reconcile`
		defer group.Done()
		_ = slow(req.Name)
	}()
	return ctrl.Result{}, nil
}

func (r *Reconciler) helperChain(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.first(req.Name)
	return ctrl.Result{}, nil
}

func (r *Reconciler) first(name string) { r.second(name) }

func (r *Reconciler) second(name string) {
	go slow(name) // want `second \(from Reconcile\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
}

func (r *Reconciler) functionInField(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.work(req.Name)
	return ctrl.Result{}, nil
}

func newReconciler() *Reconciler {
	r := &Reconciler{notifier: &slowNotifier{}}
	r.work = r.workInBackground
	return r
}

func (r *Reconciler) workInBackground(name string) {
	go slow(name) // want `handlergoroutine/per-reconcile`
}

func genericHelper(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	background(req.Name, slow)
	return ctrl.Result{}, nil
}

func background[T any](v T, work func(T) error) {
	go func() { // want `background \(from Reconcile\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
		if err := work(v); err != nil {
			panic(err)
		}
	}()
}

// ownTimeout: each goroutine ends after a minute; a storm starts thousands in
// that time.
func ownTimeout(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `handlergoroutine/per-reconcile`
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = slowWith(ctx, req.Name)
	}()
	return ctrl.Result{}, nil
}

func gaveUpWaiting(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := make(chan error)
	go func() { result <- slow(req.Name) }() // want `Reconcile starts a goroutine that hangs in its send if the caller gives up: it stays forever; give the channel a buffer of 1.*handlergoroutine/per-reconcile`
	select {
	case err := <-result:
		return ctrl.Result{}, err
	case <-time.After(time.Second):
		return ctrl.Result{Requeue: true}, nil
	}
}

func returnsBeforeReceiving(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := make(chan error)
	go func() { result <- slow(req.Name) }() // want `Reconcile starts a goroutine that hangs in its send if the caller gives up: it stays forever`
	if err := slowWith(ctx, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, <-result
}

func timer(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	time.AfterFunc(time.Hour, func() { _ = slow(req.Name) }) // want `hygiene: Reconcile starts a timer nobody waits for: 1,000 objects, 1,000 timers`
	return ctrl.Result{}, nil
}

func waitGroupHelper(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var group wait.Group
	group.StartWithContext(ctx, func(ctx context.Context) { _ = slowWith(ctx, req.Name) }) // want `handlergoroutine/per-reconcile`
	return ctrl.Result{}, nil
}

func (r *Reconciler) throughInterface(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.notifier.notify(req.Name)
	return ctrl.Result{}, nil
}

func (n *slowNotifier) notify(name string) {
	go func() { // want `notify \(from Reconcile\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
		if resp, err := n.client.Get("http://example.com/" + name); err == nil {
			resp.Body.Close()
		}
	}()
}

// configurationFlag: a flag that is only read guards nothing.
func (r *Reconciler) configurationFlag(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if r.enabled {
		go slow(req.Name) // want `handlergoroutine/per-reconcile`
	}
	return ctrl.Result{}, nil
}

// statusIsNoGuard: until the status has been written and read back, each
// reconcile finds the same phase.
func (r *Reconciler) statusIsNoGuard(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	if backup.Status.Phase == v1.BackupPending {
		go provision(backup) // want `^leak: .*handlergoroutine/captured-object`
		backup.Status.Phase = v1.BackupRunning
	}
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func deferredStart(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	defer func() {
		go slow(req.Name) // want `handlergoroutine/per-reconcile`
	}()
	return ctrl.Result{}, slow(req.Name)
}

func (r *Reconciler) informerForEachObject(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{}, new(v1.Backup), 0, nil)
	go informer.Run(r.stop) // want `handlergoroutine/endless`
	return ctrl.Result{}, nil
}

// startedWhenRunning starts one more when one is running.
func (r *Reconciler) startedWhenRunning(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.running[req.Name] {
		r.running[req.Name] = true
	} else {
		go slow(req.Name) // want `handlergoroutine/per-reconcile`
	}
	return ctrl.Result{}, nil
}

func nobodyReceives(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := make(chan error, 1)
	go func() { result <- slow(req.Name) }() // want `handlergoroutine/per-reconcile`
	return ctrl.Result{}, nil
}

func insideRetry(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		go slow(req.Name) // want `handlergoroutine/per-reconcile`
		return nil
	})
}

// slotTakenInside: the goroutines wait for a slot, but there is one for each
// reconcile.
func (r *Reconciler) slotTakenInside(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `handlergoroutine/per-reconcile`
		r.slots <- struct{}{}
		defer func() { <-r.slots }()
		_ = slow(req.Name)
	}()
	return ctrl.Result{}, nil
}

// monitorDropped: what would end the monitor is thrown away.
func (r *Reconciler) monitorDropped(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	l := &loop{stop: make(chan struct{}), stopped: make(chan struct{})}
	go l.run(req.Name) // want `handlergoroutine/endless`
	return ctrl.Result{}, nil
}

// loopLeft: a loop that ends when the work is done is not endless.
func (r *Reconciler) loopLeft(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `handlergoroutine/per-reconcile`
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				if slowWith(ctx, req.Name) == nil {
					return
				}
			}
		}
	}()
	return ctrl.Result{}, nil
}

// deadlineOfItsOwn: nor is one that has a deadline.
func (r *Reconciler) deadlineOfItsOwn(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `handlergoroutine/per-reconcile`
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				_ = slow(req.Name)
			}
		}
	}()
	return ctrl.Result{}, nil
}

// flagOfTheCall: a flag that does not outlive the call guards nothing.
func (r *Reconciler) flagOfTheCall(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var step struct{ started bool }
	step.started = req.Name == ""
	if !step.started {
		step.started = true
		go slow(req.Name) // want `handlergoroutine/per-reconcile`
	}
	return ctrl.Result{}, nil
}

// flagOfALoop: a literal that is only run here remembers nothing.
func (r *Reconciler) flagOfALoop(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	started := false
	walk([]string{req.Name, req.Namespace}, func(name string) {
		if !started {
			started = true
			go slow(name) // want `handlergoroutine/per-reconcile`
		}
	})
	return ctrl.Result{}, nil
}

// account is what a server knows of a user.
type account struct{ key string }

func fetchAccount(ctx context.Context, name string) (*account, error) {
	a := new(account)
	a.key = name
	return a, slowWith(ctx, name)
}

// fetchedState: what is read from elsewhere for this call is no memory of what
// was started.
func (r *Reconciler) fetchedState(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	a, err := fetchAccount(ctx, req.Name)
	if err != nil || a.key != "" {
		return ctrl.Result{}, err
	}
	go slow(req.Name) // want `handlergoroutine/per-reconcile`
	return ctrl.Result{}, nil
}

// eitherOrTimeout: nobody receives either when the time is up.
func eitherOrTimeout(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	names, errs := make(chan string), make(chan error)
	go func() { // want `Reconcile starts a goroutine that hangs in its send if the caller gives up: it stays forever`
		if err := slowWith(ctx, req.Name); err != nil {
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
	case <-ctx.Done():
		return ctrl.Result{}, ctx.Err()
	}
}

// cancelledButStuck: the work ends with the context, the send does not.
func cancelledButStuck(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	result := make(chan error)
	go func() { result <- slowWith(ctx, req.Name) }() // want `Reconcile starts a goroutine that hangs in its send if the caller gives up: it stays forever`
	select {
	case err := <-result:
		return ctrl.Result{}, err
	case <-ctx.Done():
		return ctrl.Result{}, ctx.Err()
	}
}

// writtenByTheGoroutine is changed there, but a client's Get made the copy, and nobody else has it.
func (r *Reconciler) writtenByTheGoroutine(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go r.finish(backup) // want `^hygiene: .*handlergoroutine/captured-object`
	return ctrl.Result{}, nil
}

// writtenAndRead is changed there while the reconciler goes on with it.
func (r *Reconciler) writtenAndRead(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go r.finish(backup) // want `^leak: .*handlergoroutine/captured-object`
	return ctrl.Result{Requeue: backup.Status.Phase == v1.BackupPending}, nil
}

// readAnew changes what it reads for itself; the reconciler only looks at its own.
func (r *Reconciler) readAnew(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go r.finishAnew(ctx, backup) // want `^hygiene: .*handlergoroutine/captured-object`
	return ctrl.Result{Requeue: backup.Status.Phase == v1.BackupPending}, nil
}

func (r *Reconciler) finishAnew(ctx context.Context, backup *v1.Backup) {
	_ = slow(backup.Name)
	latest := new(v1.Backup)
	if err := r.Get(ctx, types.NamespacedName{Namespace: backup.Namespace, Name: backup.Name}, latest); err != nil {
		return
	}
	latest.Status.Phase = v1.BackupCompleted
	_ = r.Status().Update(ctx, latest)
}

func (r *Reconciler) finish(backup *v1.Backup) {
	_ = slow(backup.Name)
	complete(backup)
}

func complete(backup *v1.Backup) { backup.Status.Phase = v1.BackupRunning }

// copiedForTheGoroutine: the caller has made a copy, and leaves it to the goroutine, which
// changes it in literals of its own.
func (r *Reconciler) copiedForTheGoroutine(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	found := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, found); err != nil {
		return ctrl.Result{}, err
	}
	backup := found.DeepCopy()
	if backup.Status.Phase == v1.BackupCompleted {
		return ctrl.Result{}, nil
	}
	return r.startWith(ctx, backup)
}

func (r *Reconciler) startWith(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	return r.finishLater(ctx, backup)
}

func (r *Reconciler) finishLater(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	backup.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	go func() { // want `finishLater \(from Reconcile\) starts a goroutine nobody waits for.*handlergoroutine/per-reconcile`
		var done sync.WaitGroup
		done.Add(1)
		go func() {
			defer done.Done()
			_ = slow(backup.Name)
			backup.Status.Phase = v1.BackupCompleted
		}()
		done.Wait()
		_ = r.Status().Update(context.Background(), backup)
	}()
	return ctrl.Result{RequeueAfter: time.Minute}, nil
}

// copiedAndGoneOnWith changes the copy, too, when it has been handed over.
func (r *Reconciler) copiedAndGoneOnWith(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	found := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, found); err != nil {
		return ctrl.Result{}, err
	}
	backup := found.DeepCopy()
	r.finishBeside(backup)
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *Reconciler) finishBeside(backup *v1.Backup) {
	go r.finish(backup) // want `^leak: finishBeside .*handlergoroutine/captured-object`
}

// deferredBeside changes the copy when the function returns.
func (r *Reconciler) deferredBeside(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	found := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, found); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.finishAndStore(ctx, found.DeepCopy())
}

func (r *Reconciler) finishAndStore(ctx context.Context, backup *v1.Backup) error {
	defer func() {
		backup.Status.Phase = v1.BackupRunning
		_ = r.Status().Update(ctx, backup)
	}()
	go r.finish(backup) // want `^leak: finishAndStore .*handlergoroutine/captured-object`
	return nil
}
