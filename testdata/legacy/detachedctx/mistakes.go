// Package detachedctx has calls under detached contexts, with the libraries
// before generics.
package detachedctx

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
	"github.com/opvet/opvet/testdata/legacy/detachedctx/helpers"
)

// Reconciler has what the cases need.
type Reconciler struct {
	client.Client
	kube kubernetes.Interface
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(context.TODO(), req.NamespacedName, &backup); err != nil { // want `hygiene: Get .*; pass ctx \(detachedctx/ctx-ignored\)`
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.finish(&backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, helpers.UpdateStatus(r.Client, &backup) // want `hygiene: Update \(helpers/helpers\.go:14\) .*; give UpdateStatus a context \(detachedctx/helper\)`
}

func (r *Reconciler) finish(backup *v1.Backup) error { // want `hygiene: Update .*; give finish a context: Reconcile has ctx \(detachedctx/helper\)`
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return r.Status().Update(context.TODO(), backup)
	})
}

func (r *Reconciler) typed(_ context.Context, name string) error {
	return r.kube.CoreV1().Pods("default").Delete(context.Background(), name, metav1.DeleteOptions{}) // want `hygiene: Delete .*; name the context of typed and pass it \(detachedctx/ctx-blank\)`
}

// part carries a context.
type part struct {
	client client.Client
	ctx    context.Context
}

func newPart(ctx context.Context, c client.Client) *part { return &part{client: c, ctx: ctx} }

func (p *part) update(backup *v1.Backup) error {
	return p.client.Update(context.TODO(), backup) // want `hygiene: Update .*; pass p\.ctx \(detachedctx/field-ignored\)`
}

func apiCtx(ctx context.Context) context.Context {
	return context.Background() // want `hygiene: calls .*; return that, or context\.WithoutCancel of it \(detachedctx/launders\)`
}

type webHandler struct{ client client.Client }

func (h *webHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = h.client.List(context.Background(), &v1.BackupList{}) // want `hygiene: List .*; pass r\.Context\(\), and read its error \(detachedctx/ctx-ignored\)`
}

func (h *webHandler) Handle(ctx context.Context, req admission.Request) admission.Response {
	_ = h.client.List(context.Background(), &v1.BackupList{}) // want `hygiene: List .*; pass ctx, and read its error \(detachedctx/ctx-ignored\)`
	return admission.Allowed("")
}
