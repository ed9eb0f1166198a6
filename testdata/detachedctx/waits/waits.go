// Package waits has calls that wait for all sorts of things, on behalf of all
// sorts of callers: that decides about the harm.
package waits

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Reconciler has what the cases need.
type Reconciler struct {
	client.Client
	kube kubernetes.Interface
	db   *sql.DB
}

// Reconcile has a context without a deadline: writes end, and other things need not.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(context.TODO(), req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(context.TODO(), &backup); err != nil { // want `hygiene: Update and 2 more calls run under context.TODO\(\) and go on when ctx ends; pass ctx`
		return ctrl.Result{}, err
	}
	if _, err := r.kube.CoreV1().Pods(req.Namespace).Get(context.TODO(), req.Name, metav1.GetOptions{}); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.logs(); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.count(ctx, &backup)
}

// A call that may never return is worse than the reads before it; the database has limits of its own.
func (r *Reconciler) count(ctx context.Context, backup *v1.Backup) error {
	if err := r.Get(context.TODO(), client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	_, err := r.db.ExecContext(context.TODO(), "insert") // want `hygiene: ExecContext and another call run under context.TODO\(\) and go on when ctx ends; pass ctx`
	return err
}

// The log of a container ends when that likes.
func (r *Reconciler) logs() error { // want `stuck: if Stream under context.TODO\(\) hangs, nothing ends it, not even shutdown; give logs a context: Reconcile has ctx`
	log, err := r.kube.CoreV1().Pods("a").GetLogs("b", &corev1.PodLogOptions{Follow: true}).Stream(context.TODO())
	if err != nil {
		return err
	}
	return log.Close()
}

// What it holds so far is one answer of the API server.
func (r *Reconciler) lastLines(ctx context.Context, lines int64) ([]byte, error) {
	log, err := r.kube.CoreV1().Pods("a").GetLogs("b", &corev1.PodLogOptions{TailLines: &lines, Follow: false}).Stream(context.TODO()) // want `hygiene: Stream .*; pass ctx`
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return io.ReadAll(log)
}

// Nobody is seen to ask for more.
func (r *Reconciler) asAsked(ctx context.Context, options *corev1.PodLogOptions) ([]byte, error) {
	request := r.kube.CoreV1().Pods("a").GetLogs("b", options)
	log, err := request.Stream(context.TODO()) // want `hygiene: Stream .*; pass ctx`
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return io.ReadAll(log)
}

// Unless it has a time limit.
func (r *Reconciler) limitedLogs(ctx context.Context) error {
	limited, cancel := context.WithTimeout(context.Background(), time.Minute) // want `hygiene: Stream .*; pass ctx`
	defer cancel()
	log, err := r.kube.CoreV1().Pods("a").GetLogs("b", &corev1.PodLogOptions{Follow: true}).Stream(limited)
	if err != nil {
		return err
	}
	return log.Close()
}

func (r *Reconciler) untilReady(ctx context.Context, backup *v1.Backup) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		err := r.Get(ctx, client.ObjectKeyFromObject(backup), backup)
		return backup.Status.Phase == "Ready", err
	})
}

// It may never be ready.
func (r *Reconciler) polls(ctx context.Context, backup *v1.Backup) error {
	return r.untilReady(context.Background(), backup) // want `stuck: if untilReady → PollUntilContextCancel under context.Background\(\) hangs, nothing ends it`
}

func (r *Reconciler) untilWritten(ctx context.Context, backup *v1.Backup) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		err := r.Update(ctx, backup)
		return err == nil, nil
	})
}

// It is written in the end.
func (r *Reconciler) writes(ctx context.Context, backup *v1.Backup) error {
	return r.untilWritten(context.Background(), backup) // want `hygiene: untilWritten → PollUntilContextCancel .*; pass ctx`
}

func (r *Reconciler) whileThirtySeconds(ctx context.Context, backup *v1.Backup) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		return true, r.Get(ctx, client.ObjectKeyFromObject(backup), backup)
	})
}

// The poller gives up by itself.
func (r *Reconciler) pollsForAWhile(ctx context.Context, backup *v1.Backup) error {
	return r.whileThirtySeconds(context.Background(), backup) // want `hygiene: whileThirtySeconds → PollUntilContextTimeout .*; pass ctx`
}

func (r *Reconciler) untilSynced(ctx context.Context, informer cache.SharedIndexInformer) error {
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	return nil
}

func (r *Reconciler) syncs(ctx context.Context, informer cache.SharedIndexInformer) error {
	return r.untilSynced(context.Background(), informer) // want `stuck: if untilSynced → WaitForCacheSync under context.Background\(\) hangs`
}

// Its caller has set a limit, which the call does not keep: it merely finishes.
func (r *Reconciler) withLimit(ctx context.Context, backup *v1.Backup) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := r.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return r.Delete(context.TODO(), backup) // want `hygiene: Delete .*; pass ctx`
}

// The limit is for something else.
func (r *Reconciler) otherLimit(ctx context.Context, backup *v1.Backup) error {
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := r.Get(short, client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return r.Delete(context.TODO(), backup) // want `hygiene: Delete .*; pass ctx`
}

// What the cache has is there at once, whatever the limit.
func (r *Reconciler) cachedRead(ctx context.Context, backup *v1.Backup) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := r.Update(ctx, backup); err != nil {
		return err
	}
	return r.Get(context.TODO(), client.ObjectKeyFromObject(backup), backup) // want `hygiene: Get .*; pass ctx`
}

// validator answers admission requests.
type validator struct {
	client.Client
	kube kubernetes.Interface
}

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	var quota corev1.ResourceQuota
	if err := v.Get(context.TODO(), client.ObjectKey{Name: req.Name}, &quota); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	if err := v.Status().Update(context.TODO(), &quota); err != nil { // want `stuck: Update and another call run under context.TODO\(\) and go on when the request has timed out; pass ctx`
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return v.reads(req.Name)
}

// Reads of the cache end soon.
func (v *validator) reads(name string) admission.Response { // want `hygiene: Get .*; give reads a context: Handle has ctx`
	var quota corev1.ResourceQuota
	if err := v.Get(context.TODO(), client.ObjectKey{Name: name}, &quota); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.Allowed("")
}

// A limit that is longer than the API server's patience is none.
type patient struct{ client.Client }

func (p *patient) Handle(ctx context.Context, req admission.Request) admission.Response {
	long, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // want `stuck: Create runs under context.Background\(\) and goes on when the request has timed out; pass ctx`
	defer cancel()
	if err := p.Create(long, &v1.Backup{}); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.Allowed("")
}

// shortLimit keeps to it.
type shortLimit struct{ client.Client }

func (p *shortLimit) Handle(ctx context.Context, req admission.Request) admission.Response {
	short, cancel := context.WithTimeout(context.Background(), 5*time.Second) // want `hygiene: Create .*; pass ctx`
	defer cancel()
	if err := p.Create(short, &v1.Backup{}); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.Allowed("")
}

func (r *Reconciler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if err := r.Create(context.Background(), &v1.Backup{}); err != nil { // want `hygiene: Create .*; pass req.Context\(\)`
		w.WriteHeader(http.StatusInternalServerError)
	}
}
