// Package setups puts controllers together in the ways that the pass controllers reads.
package setups

import (
	"context"
	"flag"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Always elects a leader.
func Always(config *rest.Config) (ctrl.Manager, error) {
	return ctrl.NewManager(config, ctrl.Options{LeaderElection: true})
}

// ByFlag elects a leader if it is told to.
func ByFlag(config *rest.Config) (ctrl.Manager, error) {
	elect := flag.Bool("elect", false, "")
	flag.Parse()
	return ctrl.NewManager(config, ctrl.Options{LeaderElection: *elect})
}

// Never elects none.
func Never(config *rest.Config) (ctrl.Manager, error) { return ctrl.NewManager(config, ctrl.Options{}) }

// Alone elects a leader with client-go.
func Alone(ctx context.Context, lock resourcelock.Interface, run func(context.Context)) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: run, OnStoppedLeading: func() {}},
	})
}

// Workload reconciles several kinds.
type Workload struct{ client.Client }

// Reconcile does nothing.
func (w *Workload) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, nil
}

// SetupAll makes one controller for each kind.
func (w *Workload) SetupAll(mgr ctrl.Manager) error {
	for _, object := range []client.Object{&appsv1.Deployment{}, &appsv1.StatefulSet{}} {
		if err := ctrl.NewControllerManagedBy(mgr).For(object).Owns(&corev1.ConfigMap{}).Complete(w); err != nil {
			return err
		}
	}
	return w.more(mgr)
}

func (w *Workload) more(mgr ctrl.Manager) error {
	if err := w.setup(mgr, &batchv1.Job{}); err != nil {
		return err
	}
	return w.setup(mgr, &batchv1.CronJob{})
}

func (w *Workload) setup(mgr ctrl.Manager, object client.Object) error {
	return ctrl.NewControllerManagedBy(mgr).For(object).Complete(w)
}

// Shown reconciles what others hand over, too.
type Shown struct{ client.Client }

// Reconcile does nothing.
func (s *Shown) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, nil
}

// Setup is called here with nodes, and elsewhere with other kinds.
func Setup(mgr ctrl.Manager, object client.Object) error {
	return ctrl.NewControllerManagedBy(mgr).For(object).Complete(&Shown{mgr.GetClient()})
}

// SetupNodes makes one controller.
func SetupNodes(mgr ctrl.Manager) error { return Setup(mgr, &corev1.Node{}) }

// Held hands its work to a variable, which tests replace.
type Held struct{ client.Client }

// Reconcile calls what the variable holds.
func (h *Held) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return hold(h, ctx, req)
}

var hold = func(h *Held, ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var secret corev1.Secret
	if err := h.Get(ctx, req.NamespacedName, &secret); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	update := func() error { return h.Update(ctx, &secret) }
	return ctrl.Result{}, update()
}

// SetupWithManager adds the controller.
func (h *Held) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Secret{}).Complete(h)
}

// Pods admits pods.
type Pods struct{}

// Default does nothing.
func (Pods) Default(ctx context.Context, pod *corev1.Pod) error { return nil }

// ValidateCreate takes all.
func (Pods) ValidateCreate(ctx context.Context, pod *corev1.Pod) (admission.Warnings, error) {
	return nil, nil
}

// ValidateUpdate takes all.
func (Pods) ValidateUpdate(ctx context.Context, before, pod *corev1.Pod) (admission.Warnings, error) {
	return nil, nil
}

// ValidateDelete takes all.
func (Pods) ValidateDelete(ctx context.Context, pod *corev1.Pod) (admission.Warnings, error) {
	return nil, nil
}

// SetupWebhooks serves what defaults pods, what validates them, and a handler.
func SetupWebhooks(mgr ctrl.Manager, handler http.Handler) error {
	if err := ctrl.NewWebhookManagedBy(mgr, &corev1.Pod{}).WithDefaulter(Pods{}).Complete(); err != nil {
		return err
	}
	mgr.GetWebhookServer().Register("/scale", handler)
	hooks := ctrl.NewWebhookManagedBy(mgr, &corev1.Pod{})
	hooks = hooks.WithValidator(Pods{})
	return hooks.Complete()
}
