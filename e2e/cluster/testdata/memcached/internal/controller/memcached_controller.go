// Package controller reconciles Memcacheds.
package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	cachev1alpha1 "example.com/memcached/api/v1alpha1"
)

const (
	finalizer     = "cache.example.com/finalizer"
	instanceLabel = "app.kubernetes.io/instance"
	available     = "Available"
)

// MemcachedReconciler reconciles a Memcached object.
type MemcachedReconciler struct {
	client.Client
	Scheme   *runtime.Scheme
	Live     client.Reader
	Clients  kubernetes.Interface
	Recorder events.EventRecorder
}

// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups="",resources=pods;secrets,verbs=get;list;watch

// Reconcile brings the cluster closer to what a Memcached asks for.
func (r *MemcachedReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	memcached := &cachev1alpha1.Memcached{}
	if err := r.Get(ctx, req.NamespacedName, memcached); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !memcached.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finalize(ctx, memcached)
	}
	if controllerutil.AddFinalizer(memcached, finalizer) {
		if err := r.Update(ctx, memcached); err != nil {
			return ctrl.Result{}, fmt.Errorf("adding the finalizer: %w", err)
		}
	}
	// Secrets are not cached: the process would hold those of the whole cluster.
	secret := &corev1.Secret{}
	if err := r.Live.Get(ctx, req.NamespacedName, secret); err != nil {
		return ctrl.Result{}, fmt.Errorf("reading the password: %w", err)
	}
	if err := r.configure(ctx, memcached, secret.ResourceVersion); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.serve(ctx, memcached); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.allow(ctx, memcached); err != nil {
		return ctrl.Result{}, err
	}
	deployment, err := r.deploy(ctx, memcached)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.updateStatus(ctx, memcached, deployment)
}

// configure writes the servers' settings.
func (r *MemcachedReconciler) configure(ctx context.Context, memcached *cachev1alpha1.Memcached, version string) error {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace}}
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, settings, func() error {
		settings.Labels = labels(memcached)
		settings.Data = map[string]string{"size": fmt.Sprint(memcached.Spec.Size), "password": version}
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	return nil
}

// serve makes the servers known.
func (r *MemcachedReconciler) serve(ctx context.Context, memcached *cachev1alpha1.Memcached) error {
	service := applycorev1.Service(memcached.Name, memcached.Namespace).
		WithSpec(applycorev1.ServiceSpec().WithClusterIP("None").WithSelector(labels(memcached)).
			WithPorts(applycorev1.ServicePort().WithPort(11211)))
	if _, err := r.Clients.CoreV1().Services(memcached.Namespace).Apply(ctx, service, metav1.ApplyOptions{FieldManager: "memcached", Force: true}); err != nil {
		return fmt.Errorf("applying the Service: %w", err)
	}
	return nil
}

// allow lets the servers find each other.
func (r *MemcachedReconciler) allow(ctx context.Context, memcached *cachev1alpha1.Memcached) error {
	meta := metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace}
	role := &rbacv1.Role{
		ObjectMeta: meta,
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, ResourceNames: []string{memcached.Name}, Verbs: []string{"get"},
		}},
	}
	if err := r.Create(ctx, role); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("creating the Role: %w", err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "default", Namespace: memcached.Namespace}},
	}
	if err := r.Create(ctx, binding); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("creating the RoleBinding: %w", err)
	}
	return nil
}

// deploy makes the Deployment as large as it should be.
func (r *MemcachedReconciler) deploy(ctx context.Context, memcached *cachev1alpha1.Memcached) (*appsv1.Deployment, error) {
	found := &appsv1.Deployment{}
	err := r.Get(ctx, client.ObjectKeyFromObject(memcached), found)
	if apierrors.IsNotFound(err) {
		wanted, err := r.deploymentFor(memcached)
		if err != nil {
			return nil, err
		}
		if err := r.Create(ctx, wanted); err != nil {
			return nil, fmt.Errorf("creating the Deployment: %w", err)
		}
		r.Recorder.Eventf(memcached, wanted, corev1.EventTypeNormal, "Created", "Create", "created Deployment %s", wanted.Name)
		return wanted, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the Deployment: %w", err)
	}
	if *found.Spec.Replicas == memcached.Spec.Size {
		return found, nil
	}
	scaled := found.DeepCopy()
	scaled.Spec.Replicas = &memcached.Spec.Size
	if err := r.Update(ctx, scaled); err != nil {
		return nil, fmt.Errorf("scaling the Deployment: %w", err)
	}
	return scaled, nil
}

func (r *MemcachedReconciler) deploymentFor(memcached *cachev1alpha1.Memcached) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas: &memcached.Spec.Size,
			Selector: &metav1.LabelSelector{MatchLabels: labels(memcached)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels(memcached)},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "memcached", Image: "memcached:1.6"}}},
			},
		},
	}
	if err := ctrl.SetControllerReference(memcached, deployment, r.Scheme); err != nil {
		return nil, err
	}
	return deployment, nil
}

// updateStatus tells how the servers are doing.
func (r *MemcachedReconciler) updateStatus(ctx context.Context, memcached *cachev1alpha1.Memcached, deployment *appsv1.Deployment) error {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(memcached.Namespace), client.MatchingLabels(labels(memcached))); err != nil {
		return fmt.Errorf("listing the pods: %w", err)
	}
	before := memcached.DeepCopy()
	memcached.Status.Pods = nil
	for i := range pods.Items {
		memcached.Status.Pods = append(memcached.Status.Pods, pods.Items[i].Name)
	}
	condition := metav1.Condition{Type: available, Status: metav1.ConditionFalse, Reason: "Reconciling"}
	if deployment.Status.AvailableReplicas == memcached.Spec.Size {
		condition.Status, condition.Reason = metav1.ConditionTrue, "Reconciled"
	}
	meta.SetStatusCondition(&memcached.Status.Conditions, condition)
	if err := r.Status().Patch(ctx, memcached, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("updating the status: %w", err)
	}
	return nil
}

// finalize takes away what no owner reference takes away.
func (r *MemcachedReconciler) finalize(ctx context.Context, memcached *cachev1alpha1.Memcached) error {
	if !controllerutil.ContainsFinalizer(memcached, finalizer) {
		return nil
	}
	if err := r.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(memcached.Namespace), client.MatchingLabels(labels(memcached))); err != nil {
		return fmt.Errorf("deleting the settings: %w", err)
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace}}
	if err := r.Delete(ctx, service); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the Service: %w", err)
	}
	for _, name := range memcached.Status.Pods {
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: memcached.Namespace}}
		if err := r.Clients.PolicyV1().Evictions(memcached.Namespace).Evict(ctx, eviction); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("evicting %s: %w", name, err)
		}
	}
	controllerutil.RemoveFinalizer(memcached, finalizer)
	if err := r.Update(ctx, memcached); err != nil {
		return fmt.Errorf("removing the finalizer: %w", err)
	}
	return nil
}

func labels(memcached *cachev1alpha1.Memcached) map[string]string {
	return map[string]string{instanceLabel: memcached.Name}
}

// SetupWithManager sets up the controller with the Manager.
func (r *MemcachedReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&cachev1alpha1.Memcached{}).
		Owns(&appsv1.Deployment{}).
		Named("memcached").
		Complete(r)
}
