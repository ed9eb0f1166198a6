// Package inuse registers types while the operator runs.
package inuse

import (
	"context"
	"net/http"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type Reconciler struct {
	client.Client
	Scheme *runtime.Scheme
	once   sync.Once
	ready  bool
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := appsv1.AddToScheme(r.Scheme); err != nil { // want `crash: concurrent map access: appsv1\.AddToScheme changes r\.Scheme while clients read it \(from Reconcile\); register before the manager starts \(schemeregister/in-use\)`
		return ctrl.Result{}, err
	}
	if err := batchv1.AddToScheme(r.Client.Scheme()); err != nil { // want `crash: concurrent map access: batchv1\.AddToScheme changes r\.Client\.Scheme\(\) while clients read it \(from Reconcile\); register before the manager starts \(schemeregister/in-use\)`
		return ctrl.Result{}, err
	}
	if err := addCore(clientgoscheme.Scheme); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.right(req)
}

// By way of a helper.
func addCore(s *runtime.Scheme) error {
	return corev1.AddToScheme(s) // want `crash: concurrent map access: corev1\.AddToScheme changes scheme\.Scheme while clients read it \(from Reconcile\); register before the manager starts \(schemeregister/in-use\)`
}

// In an informer's handler.
func handlers() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			clientgoscheme.Scheme.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.Pod{}) // want `crash: concurrent map access: clientgoscheme\.Scheme\.AddKnownTypes changes scheme\.Scheme while clients read it \(from AddFunc\); register before the manager starts \(schemeregister/in-use\)`
		},
	}
}

// In a webhook.
type validator struct{ scheme *runtime.Scheme }

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	if err := corev1.AddToScheme(v.scheme); err != nil { // want `crash: concurrent map access: corev1\.AddToScheme changes v\.scheme while clients read it \(from Handle\); register before the manager starts \(schemeregister/in-use\)`
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.Allowed("")
}

// What follows is right.

func (r *Reconciler) right(req ctrl.Request) error {
	own := runtime.NewScheme()
	if err := corev1.AddToScheme(own); err != nil {
		return err
	}
	if err := addLocal(own); err != nil {
		return err
	}
	if !r.ready {
		if err := appsv1.AddToScheme(r.Scheme); err != nil {
			return err
		}
		r.ready = true
	}
	if !r.Scheme.IsGroupRegistered("batch") {
		if err := batchv1.AddToScheme(r.Scheme); err != nil {
			return err
		}
	}
	var err error
	r.once.Do(func() { err = appsv1.AddToScheme(r.Scheme) })
	return err
}

func addLocal(s *runtime.Scheme) error { return appsv1.AddToScheme(s) }

// Before the manager starts.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := corev1.AddToScheme(mgr.GetScheme()); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(r)
}

// A client with a scheme of its own.
func (v *validator) remote(opts client.Options) error {
	c, err := client.New(ctrl.GetConfigOrDie(), opts)
	if err != nil {
		return err
	}
	return corev1.AddToScheme(c.Scheme())
}

func (v *validator) Default(ctx context.Context, obj runtime.Object) error {
	if err := v.remote(client.Options{}); err != nil {
		return err
	}
	return v.remoteByHelper(client.Options{})
}

// A helper is handed the client.
func (v *validator) remoteByHelper(opts client.Options) error {
	c, err := client.New(ctrl.GetConfigOrDie(), opts)
	if err != nil {
		return err
	}
	return addTo(c)
}

func addTo(c client.Client) error { return corev1.AddToScheme(c.Scheme()) }
