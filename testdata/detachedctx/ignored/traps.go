package ignored

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *Reconciler) passesIt(ctx context.Context, backup *v1.Backup) error {
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return r.Update(limited, backup)
}

func (r *Reconciler) severed(ctx context.Context, backup *v1.Backup) error {
	return r.Update(context.WithoutCancel(ctx), backup)
}

func (r *Reconciler) deferred(ctx context.Context, name string) error {
	defer r.kube.CoreV1().Pods("default").Delete(context.Background(), name, metav1.DeleteOptions{})
	return r.probe(ctx, name)
}

func (r *Reconciler) deferredLiteral(ctx context.Context, name string) error {
	defer func() {
		timeout, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = r.kube.CoreV1().Pods("default").Delete(timeout, name, metav1.DeleteOptions{})
	}()
	return r.probe(ctx, name)
}

func (r *Reconciler) deferredHelper(ctx context.Context, backup *v1.Backup) error {
	defer r.unlock(backup)
	return r.Update(ctx, backup)
}

func (r *Reconciler) unlock(backup *v1.Backup) {
	_ = r.Delete(context.Background(), backup)
}

func (r *Reconciler) afterDone(ctx context.Context, backup *v1.Backup) error {
	<-ctx.Done()
	return r.Delete(context.Background(), backup)
}

func (r *Reconciler) afterDoneInSelect(ctx context.Context, backup *v1.Backup, events chan string) error {
	for {
		select {
		case <-ctx.Done():
			return r.Delete(context.Background(), backup)
		case <-events:
			if err := r.Update(ctx, backup); err != nil {
				return err
			}
		}
	}
}

func (r *Reconciler) afterDoneInGoroutine(ctx context.Context, server *http.Server, backup *v1.Backup) {
	go func() {
		<-ctx.Done()
		_ = server.Shutdown(context.Background())
		_ = r.Delete(context.Background(), backup)
	}()
}

func (r *Reconciler) afterErr(ctx context.Context, backup *v1.Backup) error {
	if ctx.Err() != nil {
		return r.Delete(context.Background(), backup)
	}
	return r.Update(ctx, backup)
}

func (r *Reconciler) afterDeadline(ctx context.Context, backup *v1.Backup) error {
	err := r.probe(ctx, backup.Name)
	if errors.Is(err, context.DeadlineExceeded) {
		return r.Status().Update(context.Background(), backup)
	}
	return err
}

func (r *Reconciler) afterSignal(ctx context.Context, backup *v1.Backup, signals chan os.Signal) error {
	<-signals
	return r.Delete(context.Background(), backup)
}

func (r *Reconciler) afterCancel(ctx context.Context, cancel context.CancelFunc, backup *v1.Backup) error {
	cancel()
	return r.Delete(context.Background(), backup)
}

// What a failure leaves behind is taken back, whatever it was.
func (r *Reconciler) rollsBack(ctx context.Context, pod *corev1.Pod) error {
	if _, err := r.kube.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		_ = r.kube.CoreV1().Pods("default").Delete(context.Background(), pod.Name, metav1.DeleteOptions{})
		return err
	}
	return nil
}

func (r *Reconciler) nilGuard(ctx context.Context, backup *v1.Backup) error {
	if ctx == nil {
		ctx = context.Background()
	}
	return r.Update(ctx, backup)
}

func (h *webHandler) fallback(req *http.Request) error {
	ctx := context.Background()
	if req != nil {
		ctx = req.Context()
	}
	var backup v1.Backup
	return h.kube.Get(ctx, client.ObjectKey{Name: "a"}, &backup)
}

func (r *Reconciler) givesReason(ctx context.Context, backup *v1.Backup) error {
	// detached: what was begun must be written, also when the operator stops
	return r.Update(context.Background(), backup)
}

func (r *Reconciler) givesReasonOnTheLine(ctx context.Context, backup *v1.Backup) error {
	return r.Update(context.Background(), backup) // the caller's ctx is about to be cancelled
}

func (r *Reconciler) givesReasonAboveStatement(ctx context.Context, backup *v1.Backup) error {
	// The context of the caller may be cancelled by then,
	// and the record must be kept.
	return r.Patch(
		context.Background(),
		backup,
		client.MergeFrom(backup),
	)
}

func (r *Reconciler) silencedForOthers(ctx context.Context, backup *v1.Backup) error {
	return r.Update(context.Background(), backup) //nolint:contextcheck
}

func (r *Reconciler) silenced(ctx context.Context, backup *v1.Backup) error {
	return r.Update(context.Background(), backup) //nolint:detachedctx
}

func (r *Reconciler) outlivesTheRequest(ctx context.Context, backup *v1.Backup) {
	go func() {
		timeout, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = r.Update(timeout, backup)
	}()
}

func (r *Reconciler) startedWithItsOwn(ctx context.Context, backup *v1.Backup) {
	go r.save(context.Background(), backup)
}

func (r *Reconciler) madeBeforeTheGoroutine(ctx context.Context, backup *v1.Backup) {
	background := log.IntoContext(context.Background(), log.FromContext(ctx))
	go func() { _ = r.save(background, backup) }()
}

// SetupWithManager runs once.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager) error {
	var list v1.BackupList
	if err := mgr.GetAPIReader().List(context.Background(), &list); err != nil {
		return err
	}
	return mgr.GetFieldIndexer().IndexField(context.Background(), &v1.Backup{}, "spec.name", func(client.Object) []string { return nil })
}

func (r *Reconciler) index(ctx context.Context, indexer client.FieldIndexer) error {
	return indexer.IndexField(context.TODO(), &v1.Backup{}, "spec.name", func(client.Object) []string { return nil })
}

// Run starts up, and then waits for its end.
func (r *Reconciler) Run(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(context.Background(), &list); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// worker is a part with a life of its own.
type worker struct {
	ctx    context.Context
	cancel context.CancelFunc
	client client.Client
}

func (r *Reconciler) startWorker(ctx context.Context) (*worker, error) {
	own, cancel := context.WithCancel(context.Background())
	var list v1.BackupList
	if err := r.List(own, &list); err != nil {
		cancel()
		return nil, err
	}
	return &worker{ctx: own, cancel: cancel, client: r.Client}, nil
}

// The deadline is looked at beside the context.
func (r *Reconciler) ownDeadline(ctx context.Context, events chan string) error {
	deadline, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline.Done():
			return errors.New("too late")
		case <-events:
		}
	}
}

func listWatch(ctx context.Context, kube kubernetes.Interface) *cache.ListWatch {
	return &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return kube.CoreV1().Pods("").List(context.TODO(), options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return kube.CoreV1().Pods("").Watch(context.TODO(), options)
		},
	}
}

// The context of these ends with the reflector, which does not wait for them.
func listWatchWithContext(kube kubernetes.Interface) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return kube.CoreV1().Pods("").List(context.TODO(), options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return kube.CoreV1().Pods("").Watch(context.TODO(), options)
		},
	}
}

func (r *Reconciler) undoLater(ctx context.Context, backup *v1.Backup) func() error {
	return func() error { return r.Delete(context.Background(), backup) }
}

func (r *Reconciler) once(ctx context.Context, once *sync.Once) {
	once.Do(func() {
		var list v1.BackupList
		_ = r.List(context.Background(), &list)
	})
}

func (r *Reconciler) leaderCallbacks(ctx context.Context) leaderelection.LeaderCallbacks {
	return leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) {},
		OnStoppedLeading: func() { _ = r.Delete(context.Background(), &v1.Backup{}) },
	}
}

// setUp runs once.
func (r *Reconciler) setUp(ctx context.Context, mgr ctrl.Manager, config leaderelection.LeaderElectionConfig) {
	r.startWithLead(ctx, config)
}

// startWithLead goes on starting up when the program has the lead.
func (r *Reconciler) startWithLead(ctx context.Context, config leaderelection.LeaderElectionConfig) {
	start := func(ctx context.Context) error {
		return r.Create(context.Background(), &v1.Backup{})
	}
	config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(leading context.Context) {
			_ = start(ctx)
		},
		OnStoppedLeading: func() {},
	}
	leaderelection.RunOrDie(ctx, config)
}

// Its context only carries the logger.
func logs(ctx context.Context, backup *v1.Backup) {
	log.FromContext(context.Background()).Info("backup", "name", backup.Name)
}

func (r *Reconciler) onlyLogs(ctx context.Context, backup *v1.Backup) {
	logs(context.Background(), backup)
}

// refresher keeps its context to refresh its token.
type refresher struct{ ctx context.Context }

func newRefresher(ctx context.Context) (*refresher, error) { return &refresher{ctx: ctx}, nil }

func (r *Reconciler) keepsForLater(ctx context.Context) (*refresher, error) {
	return newRefresher(context.Background())
}

// startsCollector keeps its context for a goroutine.
func startsCollector(ctx context.Context) error {
	go func() {
		<-ctx.Done()
	}()
	return nil
}

func (r *Reconciler) startsPart(ctx context.Context) error {
	return startsCollector(context.Background())
}

// Nobody hands a collector a context.
func (r *Reconciler) Collect(ch chan<- int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var list v1.BackupList
	_ = r.List(ctx, &list)
	ch <- len(list.Items)
}

// config is a client of something else: its context is its own.
type config struct{}

func (c *config) Context() context.Context { return context.Background() }

func (r *Reconciler) clientWithContext(c *config, backup *v1.Backup) error {
	return r.Update(context.Background(), backup)
}

// The check ends when it is cancelled here, and so does the function.
func (r *Reconciler) watchedBeside(ctx context.Context, backup *v1.Backup, results chan error) error {
	check, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { results <- r.save(check, backup) }()
	if err := r.save(check, backup); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-results:
		return err
	}
}

// RunHook prepares, and then waits for its end.
func (r *Reconciler) RunHook(ctx context.Context) {
	r.prepare(ctx)
	<-ctx.Done()
}

func (r *Reconciler) prepare(ctx context.Context) {
	_ = r.Create(context.TODO(), &v1.Backup{})
	r.prepareMore()
}

func (r *Reconciler) prepareMore() {
	_ = r.Create(context.TODO(), &v1.Backup{})
}

// Close is clean-up by nature.
func (r *Reconciler) closes(ctx context.Context, session interface{ Close(context.Context) error }) error {
	return session.Close(context.Background())
}

// What polls under another context is a subject of ctxdone.
func (r *Reconciler) polls(ctx context.Context) error {
	return wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		return true, nil
	})
}

func (r *Reconciler) watches(ctx context.Context) error {
	w, err := r.kube.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	w.Stop()
	return nil
}

func (r *Reconciler) keepsValues(ctx context.Context, backup *v1.Backup) error {
	own := log.IntoContext(context.Background(), log.FromContext(ctx).WithName("own"))
	return r.Update(own, backup)
}

// Several callers wait for one answer: it must not end with the first of them.
func (r *Reconciler) shared(ctx context.Context, group *singleflight.Group) error {
	_, err, _ := group.Do("backups", func() (any, error) {
		var list v1.BackupList
		return list, r.List(context.Background(), &list)
	})
	return err
}

// The goroutine hands the end of the channel on.
func (r *Reconciler) bridged(ctx context.Context, closed chan string, backup *v1.Backup) error {
	own, cancel := context.WithCancel(context.Background())
	go func() {
		<-closed
		cancel()
	}()
	return r.Update(own, backup)
}

// Bind gets a context from one place only, where it is made up.
func (r *Reconciler) Bind(ctx context.Context, backups []v1.Backup) error {
	for i := range backups {
		if err := r.bindOne(&backups[i]); err != nil {
			log.FromContext(ctx).Error(err, "not bound")
		}
	}
	return nil
}

func (r *Reconciler) preBind(ctx context.Context, backups []v1.Backup) {
	log.FromContext(ctx).Info("binding", "count", len(backups))
	_ = r.bindOne(&backups[0])
}

func (r *Reconciler) bindOne(backup *v1.Backup) error {
	return r.Update(context.TODO(), backup)
}

func (r *Reconciler) bindAll(backups []v1.Backup) {
	go func() {
		ctx := log.IntoContext(context.Background(), log.Log)
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		r.preBind(inner, backups)
		_ = r.Bind(ctx, backups)
	}()
}

// Nobody can cancel what the poller hands on: the tool has no context.
func ensureGone(c client.Client, key client.ObjectKey, timeout time.Duration) error {
	return wait.PollUntilContextTimeout(context.TODO(), time.Second, timeout, false, func(context.Context) (bool, error) {
		var backup v1.Backup
		return c.Get(context.TODO(), key, &backup) != nil, nil
	})
}

// agent works off a queue once it has made what it needs.
type agent struct {
	client client.Client
	queue  workqueue.TypedRateLimitingInterface[string]
}

func (a *agent) Start(ctx context.Context) error {
	if err := a.prepare(); err != nil {
		return err
	}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			default:
				if !a.next() {
					return
				}
			}
		}
	}()
	return nil
}

func (a *agent) prepare() error {
	return a.client.Create(context.TODO(), &v1.Backup{})
}

func (a *agent) next() bool {
	key, shutdown := a.queue.Get()
	if shutdown {
		return false
	}
	a.queue.Done(key)
	return true
}

// The server does not watch a connection that was taken over: the request's
// context ends when the handler does.
func (h *webHandler) stream(w http.ResponseWriter, req *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	h.forward()
}

func (h *webHandler) serveStream(w http.ResponseWriter, req *http.Request) {
	h.stream(w, req)
}

func (h *webHandler) forward() {
	var list v1.BackupList
	_ = h.kube.List(context.Background(), &list)
}

// handle is what a scheduler's framework gives to its plugins, and plugin what their
// constructors hand out: they run before anything could be cancelled.
type handle interface {
	ClientSet() kubernetes.Interface
	SharedInformerFactory() informers.SharedInformerFactory
}

type plugin interface{ Name() string }

type quota struct{ client kubernetes.Interface }

func (q *quota) Name() string { return "quota" }

func newQuota(ctx context.Context, _ runtime.Object, h handle) (plugin, error) {
	q := &quota{h.ClientSet()}
	return q, q.migrate()
}

func (q *quota) migrate() error {
	_, err := q.client.CoreV1().Namespaces().Create(context.TODO(), &corev1.Namespace{}, metav1.CreateOptions{})
	return err
}

// What a failure leaves behind is taken back by a helper, or a literal.
func (r *Reconciler) rollsBackByHelper(ctx context.Context, pod *corev1.Pod) error {
	if _, err := r.kube.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		r.takeBack(pod)
		return err
	}
	drop := func() error {
		return r.kube.CoreV1().Pods("default").Delete(context.Background(), pod.Name, metav1.DeleteOptions{})
	}
	if err := r.Update(ctx, pod); err != nil {
		return drop()
	}
	return nil
}

func (r *Reconciler) takeBack(pod *corev1.Pod) {
	_ = r.kube.CoreV1().Pods("default").Delete(context.Background(), pod.Name, metav1.DeleteOptions{})
}

// Literals make, and take back what a failure leaves behind.
func (r *Reconciler) rollsBackInLiterals(ctx context.Context, pod *corev1.Pod) error {
	create := func() error {
		_, err := r.kube.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
		return err
	}
	drop := func() error {
		return r.kube.CoreV1().Pods("default").Delete(context.Background(), pod.Name, metav1.DeleteOptions{})
	}
	if err := create(); err != nil {
		_ = drop()
		return err
	}
	return nil
}
