package sleep

import (
	"context"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ctxdone/sleep/lib"
)

// listens waits for both: not a finding.
func listens(ctx context.Context, c clock.Clock) error {
	for range 10 {
		select {
		case <-time.After(10 * time.Second):
		case <-c.After(10 * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// shortRounds checks its context between short sleeps: not a finding.
func shortRounds(ctx context.Context, done func() bool) error {
	for !done() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		time.Sleep(2 * time.Second)
	}
	return nil
}

// asksHelper checks its context through a helper: not a finding.
func asksHelper(ctx context.Context, done func() bool) {
	for !done() {
		if isDone(ctx) {
			return
		}
		time.Sleep(2 * time.Second)
	}
}

func isDone(ctx context.Context) bool { return ctx.Err() != nil }

// asksElsewhere checks it through a helper of another package: not a finding.
func asksElsewhere(ctx context.Context, done func() bool) {
	for !done() && !lib.IsDone(ctx) {
		time.Sleep(time.Second)
	}
}

// endsByFailing ends a second later, since the client fails: not a finding.
func endsByFailing(ctx context.Context, c client.Client) error {
	for {
		var list v1.BackupList
		if err := c.List(ctx, &list); err != nil {
			return err
		}
		if len(list.Items) == 0 {
			return nil
		}
		time.Sleep(time.Second)
	}
}

// grace comes after the end of the context: not a finding.
func grace(ctx context.Context, stop func()) {
	<-ctx.Done()
	time.Sleep(10 * time.Second)
	stop()
}

// graceInSelect is in the case of the context: not a finding.
func graceInSelect(ctx context.Context, events <-chan string) {
	for {
		select {
		case <-ctx.Done():
			time.Sleep(10 * time.Second)
			return
		case <-events:
		}
	}
}

// graceAfterErr knows that the context has ended: not a finding.
func graceAfterErr(ctx context.Context, work func(context.Context) error) error {
	err := work(ctx)
	if ctx.Err() != nil {
		time.Sleep(5 * time.Second)
	}
	return err
}

// drained empties a timer that has fired: not a finding.
func drained(ctx context.Context, timer *time.Timer) {
	if !timer.Stop() {
		<-timer.C
	}
	timer.Reset(time.Minute)
}

// noContext has nothing to listen to, and nobody who calls it has: not a
// finding here.
func noContext() {
	time.Sleep(time.Minute)
}

// asTimeout sleeps beside what is waited for: not a finding.
func asTimeout(stop <-chan struct{}, results <-chan string) string {
	timeout := make(chan struct{})
	go func() {
		time.Sleep(time.Minute)
		close(timeout)
	}()
	select {
	case r := <-results:
		return r
	case <-timeout:
	case <-stop:
	}
	return ""
}

// atStart waits once in a goroutine before it begins: not a finding.
func atStart(ctx context.Context, work func(context.Context)) {
	go func() {
		time.Sleep(5 * time.Second)
		work(ctx)
	}()
}

// briefRounds goes on for a second at most, and nobody waits for it: not a
// finding.
func briefRounds(ctx context.Context, stopped func() bool, work func()) {
	go func() {
		for !stopped() {
			work()
			time.Sleep(time.Second)
		}
	}()
}

// lost has no leadership any more, and a context that has ended: not a finding.
func lost() leaderelection.LeaderCallbacks {
	return leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) { <-ctx.Done() },
		OnStoppedLeading: func() { time.Sleep(5 * time.Second) },
	}
}

// withoutContext is called with none: not a finding.
func withoutContext(ctx context.Context, work func(context.Context)) {
	if ctx == nil {
		time.Sleep(5 * time.Second)
		return
	}
	work(ctx)
}

// factory is a component with a context of its own.
type factory struct{ ctx context.Context }

type restore struct{ informers *factory }

// ofAnother could reach the context of another component only: not a finding.
func (r *restore) ofAnother() {
	time.Sleep(5 * time.Second)
}

// requeues is how to wait: not a finding.
type requeues struct{ client.Client }

func (r *requeues) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: 10 * time.Second}, nil
}

// interval is set to one value only, and is short.
var interval = 100 * time.Millisecond

// Interval is exported, but short where it is set.
var Interval = 100 * time.Millisecond

// byVariable knows how short its sleeps are: not a finding.
func byVariable(ctx context.Context, done func() bool) {
	for range 5 {
		if done() {
			return
		}
		time.Sleep(interval)
		time.Sleep(Interval)
	}
}

// paced waits for the tick that limits its rate, and listens: not a finding.
func paced(ctx context.Context, period time.Duration, events <-chan string) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		<-ticker.C
		select {
		case <-ctx.Done():
			return
		case <-events:
		}
	}
}

//nolint:ctxdone // the device needs that long
func silenced(ctx context.Context) { time.Sleep(5 * time.Second) }

// server gives its clients time before it stops: not a finding.
type server struct {
	grace  time.Duration
	stopCh chan struct{}
}

func (s *server) Start() { <-s.stopCh }

func (s *server) Stop() error {
	time.Sleep(s.grace * time.Second)
	close(s.stopCh)
	return nil
}

// settles gives another program a second, once: not a finding.
func settles(ctx context.Context) error {
	time.Sleep(time.Second)
	return ctx.Err()
}

// replayer deletes again what was not to be deleted, when that may be.
type replayer struct{ client.Client }

func (r *replayer) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	go func() {
		time.Sleep(2 * time.Second)
		if err := r.Delete(context.Background(), backup); err != nil {
			ctrl.Log.Error(err, "deleting again")
		}
	}()
	return ctrl.Result{}, nil
}

// refresher works in a goroutine that nothing waits for, and asks whether it has
// ended before it works: it only sleeps out its round.
type refresher struct {
	period time.Duration
	cancel context.CancelFunc
}

func (r *refresher) start(ctx context.Context, work func()) {
	go r.run(ctx, work)
}

func (r *refresher) run(ctx context.Context, work func()) {
	for {
		select {
		case <-ctx.Done():
			return
		default:
			work()
			time.Sleep(r.period)
		}
	}
}

func (r *refresher) view(ctx context.Context, work func()) {
	ctx, r.cancel = context.WithCancel(ctx)
	go func() {
		for {
			time.Sleep(time.Minute)
			if ctx.Err() != nil {
				return
			}
			work()
		}
	}()
}

// threeTries are over before anybody minds: not a finding.
func threeTries(ctx context.Context, c client.Client, backup *v1.Backup) error {
	for i := 0; i < 3; i++ {
		err := c.Update(ctx, backup)
		if err == nil || err.Error() != "no such cluster" {
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}

// rangeTries is the same in the newer form: not a finding.
func rangeTries(ctx context.Context, done func() bool) {
	for range 3 {
		if done() {
			return
		}
		time.Sleep(time.Second)
	}
}

// AwaitGateway gets a context that nobody can cancel: not a finding.
func AwaitGateway(ctx context.Context, tries int, ready func() bool) bool {
	for range tries {
		if ready() {
			return true
		}
		time.Sleep(5 * time.Second)
	}
	return false
}

func initialize(ready func() bool) bool { return AwaitGateway(context.Background(), 60, ready) }

// The sleep is in a helper, and what makes it right at its call.

func asksBeforeHelper(ctx context.Context, done func() bool) {
	for !done() {
		if isDone(ctx) {
			return
		}
		pauseForTwoSeconds()
	}
}

func pauseForTwoSeconds() { time.Sleep(2 * time.Second) }

func graceInHelper(ctx context.Context, stop func()) {
	<-ctx.Done()
	letOthersFinish()
	stop()
}

func letOthersFinish() { time.Sleep(10 * time.Second) }

func threeTriesInLiteral(ctx context.Context, try func(context.Context) error) error {
	pause := func() { time.Sleep(time.Second) }
	for range 3 {
		if err := try(ctx); err == nil {
			return nil
		}
		pause()
	}
	return context.DeadlineExceeded
}
