package ignored

import (
	"context"
	"database/sql"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(context.TODO(), req.NamespacedName, &backup); err != nil { // want `hygiene: Get .*; pass ctx \(detachedctx/ctx-ignored\)`
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.Status().Update(ctx, &backup)
}

func (r *Reconciler) clientset(ctx context.Context, name string) error {
	_, err := r.kube.CoreV1().Pods("default").Get(context.Background(), name, metav1.GetOptions{}) // want `hygiene: Get .*; pass ctx \(detachedctx/ctx-ignored\)`
	return err
}

func (r *Reconciler) inVariable(ctx context.Context, backup *v1.Backup) error {
	background := context.Background() // want `hygiene: Update and another call .*; pass ctx \(detachedctx/ctx-ignored\)`
	if err := r.Update(background, backup); err != nil {
		return err
	}
	return r.Status().Update(background, backup)
}

func (r *Reconciler) withTimeout(ctx context.Context, backup *v1.Backup) error {
	limited, cancel := context.WithTimeout(context.Background(), time.Minute) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
	defer cancel()
	return r.Update(limited, backup)
}

func (r *Reconciler) throughOwnFunction(ctx context.Context, backup *v1.Backup) error {
	return r.save(context.TODO(), backup) // want `hygiene: save → Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func (r *Reconciler) save(ctx context.Context, backup *v1.Backup) error {
	return r.Update(ctx, backup)
}

func (r *Reconciler) throughInterface(ctx context.Context, id string) (string, error) {
	return r.cloud.Describe(context.Background(), id) // want `hygiene: Describe .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func (r *Reconciler) throughFunctionValue(ctx context.Context, url string) error {
	return r.probe(context.Background(), url) // want `hygiene: probe .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func (r *Reconciler) insideRetry(ctx context.Context, backup *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return r.Update(context.TODO(), backup) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
	})
}

func (r *Reconciler) insidePoll(ctx context.Context, name string) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := r.kube.CoreV1().Pods("default").Get(context.TODO(), name, metav1.GetOptions{}) // want `hygiene: Get .*; pass ctx \(detachedctx/ctx-ignored\)`
		return err == nil, err
	})
}

// The group is waited for.
func (r *Reconciler) inWorkers(ctx context.Context, backups []v1.Backup) {
	var group sync.WaitGroup
	for i := range backups {
		group.Add(1)
		go func() {
			defer group.Done()
			_ = r.Update(context.TODO(), &backups[i]) // want `hygiene: Update .*; pass ctx, and read its error \(detachedctx/ctx-ignored\)`
		}()
	}
	group.Wait()
}

// What failed is told apart: the object exists.
func (r *Reconciler) replaces(ctx context.Context, pod *corev1.Pod) error {
	_, err := r.kube.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		if exists(err) {
			return r.kube.CoreV1().Pods("default").Delete(context.Background(), pod.Name, metav1.DeleteOptions{}) // want `hygiene: Delete .*; pass ctx \(detachedctx/ctx-ignored\)`
		}
	}
	return err
}

func exists(err error) bool { return err != nil && err.Error() == "exists" }

func (r *Reconciler) builtRequest(ctx context.Context, url string) (*http.Request, error) {
	return http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil) // want `hygiene: NewRequestWithContext .*; pass ctx \(detachedctx/ctx-ignored\)`
}

// handler answers HTTP requests.
type webHandler struct{ kube client.Client }

func (h *webHandler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var backup v1.Backup
	_ = h.kube.Get(context.Background(), client.ObjectKey{Name: "a"}, &backup) // want `hygiene: Get .*; pass req\.Context\(\), and read its error \(detachedctx/ctx-ignored\)`
}

// stream is what gRPC hands to a method that streams.
type stream interface {
	Context() context.Context
	SendMsg(m any) error
	RecvMsg(m any) error
	SetTrailer(map[string][]string)
}

func (r *Reconciler) Watch(name string, s stream) error {
	var backup v1.Backup
	return r.Get(context.Background(), client.ObjectKey{Name: name}, &backup) // want `hygiene: Get .*; pass s\.Context\(\) \(detachedctx/ctx-ignored\)`
}

func (r *Reconciler) mapped() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, obj client.Object) []reconcile.Request {
		var list v1.BackupList
		_ = r.List(context.TODO(), &list) // want `hygiene: List .*; pass ctx, and read its error \(detachedctx/ctx-ignored\)`
		return nil
	})
}

type blankReconciler struct{ client.Client }

func (r *blankReconciler) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	err := r.Get(context.TODO(), req.NamespacedName, &backup) // want `hygiene: Get .*; name the context of Reconcile and pass it \(detachedctx/ctx-blank\)`
	return ctrl.Result{}, err
}

func (r *blankReconciler) unnamed(context.Context, *v1.Backup) error {
	ctx := context.TODO() // want `hygiene: Delete .*; name the context of unnamed and pass it \(detachedctx/ctx-blank\)`
	return r.Delete(ctx, &v1.Backup{})
}

// A comment that says what is to be done some day is no reason.
func (r *Reconciler) someDay(ctx context.Context, backup *v1.Backup) error {
	// TODO: use the context of the caller
	return r.Update(context.TODO(), backup) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

// A comment about something else is none either.
func (r *Reconciler) otherComment(ctx context.Context, backup *v1.Backup) error {
	// write what has changed
	return r.Update(context.TODO(), backup) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

// anyBackup makes it generic.
func anyBackup[T client.Object](ctx context.Context, c client.Client, obj T) error {
	return c.Update(context.TODO(), obj) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func (r *Reconciler) database(ctx context.Context, db *sql.DB, name string) (n int, err error) {
	err = db.QueryRowContext(context.TODO(), "select", name).Scan(&n) // want `hygiene: QueryRowContext .*; pass ctx \(detachedctx/ctx-ignored\)`
	return n, err
}

func (r *Reconciler) request(ctx context.Context, name string) error {
	return r.kube.CoreV1().RESTClient().Get().Name(name).Do(context.TODO()).Error() // want `hygiene: Do .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func (r *Reconciler) throughPoller(ctx context.Context, backup *v1.Backup) error {
	return r.saveWithRetry(context.Background(), backup) // want `hygiene: saveWithRetry → PollUntilContextCancel .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func (r *Reconciler) saveWithRetry(ctx context.Context, backup *v1.Backup) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		return r.Update(ctx, backup) == nil, nil
	})
}

// A slot of the semaphore is given back: nothing has ended.
func (r *Reconciler) afterSlot(ctx context.Context, slots chan struct{}, backup *v1.Backup) error {
	slots <- struct{}{}
	<-slots
	return r.Update(context.Background(), backup) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

type literalWithBlank struct{ client client.Client }

func (l *literalWithBlank) poll(ctx context.Context, backup *v1.Backup) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(context.Context) (bool, error) {
		return false, l.client.Update(context.TODO(), backup) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
	})
}

func (l *literalWithBlank) pollAlone(backup *v1.Backup, poll func(func(context.Context) error) error) error {
	return poll(func(context.Context) error {
		return l.client.Update(context.TODO(), backup) // want `hygiene: Update .*; name the context of the literal in pollAlone and pass it \(detachedctx/ctx-blank\)`
	})
}

// Upgrade may lose the lead half-way.
func (r *Reconciler) Upgrade(ctx context.Context, config leaderelection.LeaderElectionConfig) {
	config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) {
			_ = r.Update(context.TODO(), &v1.Backup{}) // want `hygiene: Update .*; pass ctx, and read its error \(detachedctx/ctx-ignored\)`
		},
		OnStoppedLeading: func() {},
	}
	leaderelection.RunOrDie(ctx, config)
}

// Nothing has failed when the helper is called.
func (r *Reconciler) replacesByHelper(ctx context.Context, pod *corev1.Pod) error {
	r.drop(pod)
	_, err := r.kube.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	return err
}

func (r *Reconciler) drop(pod *corev1.Pod) { // want `hygiene: Delete runs under context\.Background\(\) and goes on when ctx ends; give drop a context, and read its error: replacesByHelper has ctx`
	_ = r.kube.CoreV1().Pods("default").Delete(context.Background(), pod.Name, metav1.DeleteOptions{})
}
