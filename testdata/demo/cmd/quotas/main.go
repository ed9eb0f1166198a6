// Command quotas gives each namespace a quota. Its markers are those of an earlier
// version, which did less.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=limitranges,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=*
// +kubebuilder:rbac:groups=autoscaling,resources=horizontalpodautoscalers,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=limitrange,verbs=get
// +kubebuilder:rbac:groups="",resources=serviceaccounts,verbs=get;list;watch

// Reconciler reconciles namespaces.
type Reconciler struct {
	client.Client
	Recorder events.EventRecorder
}

// Reconcile makes the quota, and shrinks what is over it.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var namespace corev1.Namespace
	if err := r.Get(ctx, req.NamespacedName, &namespace); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.limit(ctx, &namespace); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.shrink(ctx, &namespace)
}

// limit makes the quota and takes the defaults off.
func (r *Reconciler) limit(ctx context.Context, namespace *corev1.Namespace) error {
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: namespace.Name}}
	if err := r.Create(ctx, quota); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	var limits corev1.LimitRange
	if err := r.Get(ctx, client.ObjectKey{Namespace: namespace.Name, Name: "default"}, &limits); err != nil {
		return client.IgnoreNotFound(err)
	}
	limits.Spec.Limits = nil
	return r.Update(ctx, &limits)
}

// shrink evicts the pods of the claims that are over the quota.
func (r *Reconciler) shrink(ctx context.Context, namespace *corev1.Namespace) error {
	var claims corev1.PersistentVolumeClaimList
	if err := r.List(ctx, &claims, client.InNamespace(namespace.Name), client.MatchingLabels{"over": "quota"}); err != nil {
		return err
	}
	reason, err := r.reason(ctx)
	if err != nil {
		return err
	}
	for _, claim := range claims.Items {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: claim.Labels["pod"], Namespace: namespace.Name}}
		if err := r.SubResource("eviction").Create(ctx, pod, &policyv1.Eviction{}); err != nil {
			return err
		}
		r.Recorder.Eventf(namespace, pod, corev1.EventTypeNormal, "Evicted", "Evict", "evicted %s: %s", pod.Name, reason)
	}
	return nil
}

// reason is what the account of this program says of evictions.
func (r *Reconciler) reason(ctx context.Context) (string, error) {
	var account corev1.ServiceAccount
	if err := r.Get(ctx, client.ObjectKey{Namespace: "quotas-system", Name: "quotas"}, &account); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	return account.Annotations["quotas.demo.opvet.dev/reason"], nil
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&corev1.ServiceAccount{}: {Namespaces: map[string]cache.Config{"quotas-system": {}}},
		}},
	})
	if err != nil {
		os.Exit(1)
	}
	r := &Reconciler{Client: mgr.GetClient(), Recorder: mgr.GetEventRecorder("quotas")}
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.Namespace{}).Complete(r); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
