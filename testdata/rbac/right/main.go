// Command right may do all that it does: its markers, or the manifests beside it,
// say so.
package main

import (
	"context"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/scale"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/rbac/right/gadgets"
	"github.com/opvet/opvet/testdata/rbac/right/usage"
)

//+kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch;update
//+kubebuilder:rbac:groups=example.opvet.dev,resources=backups/status,verbs=get;update;patch
//+kubebuilder:rbac:groups=core,resources={secrets,configmaps},verbs=list;watch
//+kubebuilder:rbac:groups=apps;batch,resources=deployments;jobs,verbs="get";"list";watch;create
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=autoscaling.k8s.io,resources=verticalpodautoscalers,verbs=create
// +kubebuilder:rbac:groups=metrics.k8s.io,resources=pods,verbs=get;list
// +kubebuilder:rbac:groups=gadgets.opvet.dev,resources=gadgets,verbs=update

// Reconciler does what it may.
type Reconciler struct {
	client.Client
	Dynamic dynamic.Interface
	Scales  scale.ScalesGetter
	Kube    kubernetes.Interface
}

// readers has a way to read each kind; nobody asks for the second.
var readers = map[string]func(ctx context.Context, c kubernetes.Interface, name string) error{
	"deployments": func(ctx context.Context, c kubernetes.Interface, name string) error {
		_, err := c.AppsV1().Deployments("default").Get(ctx, name, metav1.GetOptions{})
		return err
	},
	"clusterroles": func(ctx context.Context, c kubernetes.Interface, name string) error {
		_, err := c.RbacV1().ClusterRoles().Get(ctx, name, metav1.GetOptions{})
		return err
	},
}

// cachedReads need no get.
func (r *Reconciler) cachedReads(ctx context.Context, key client.ObjectKey) error {
	if err := r.Get(ctx, key, &corev1.Secret{}); err != nil {
		return err
	}
	return r.Get(ctx, key, &corev1.ConfigMap{})
}

func (r *Reconciler) status(ctx context.Context, backup *v1.Backup) error {
	if err := r.Update(ctx, backup); err != nil {
		return err
	}
	return r.Status().Update(ctx, backup)
}

// byScheme is granted for the group that the scheme knows.
func (r *Reconciler) byScheme(ctx context.Context, gadget *gadgets.Gadget) error {
	return r.Update(ctx, gadget)
}

// sized writes a kind whose group is not that of Kubernetes' own autoscaler.
func (r *Reconciler) sized(ctx context.Context, backup *v1.Backup) error {
	scaler := &unstructured.Unstructured{}
	scaler.SetGroupVersionKind(schema.GroupVersionKind{Group: "autoscaling.k8s.io", Version: "v1", Kind: "VerticalPodAutoscaler"})
	scaler.SetName(backup.Name)
	return r.Create(ctx, scaler)
}

// makeSo is handed objects of several kinds, of which it deletes those that are marked.
// Nobody may watch metrics, whatever is granted.
func (r *Reconciler) used(ctx context.Context, key client.ObjectKey) error {
	return r.Get(ctx, key, &usage.PodMetrics{})
}

func (r *Reconciler) makeSo(ctx context.Context, obj client.Object) error {
	if obj.GetAnnotations()["opvet.dev/delete"] == "true" {
		return r.Delete(ctx, obj)
	}
	return r.Create(ctx, obj)
}

// byRole is granted by role.yaml.
func (r *Reconciler) byRole(ctx context.Context) error {
	return r.Create(ctx, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}})
}

// byChart is granted by a template.
func (r *Reconciler) byChart(ctx context.Context) error {
	return r.Create(ctx, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}})
}

// chosen is a resource that nobody knows.
func (r *Reconciler) chosen(ctx context.Context, resource schema.GroupVersionResource, name string) error {
	return r.Dynamic.Resource(resource).Delete(ctx, name, metav1.DeleteOptions{})
}

// scaled changes the scale of whatever it is told.
func (r *Reconciler) scaled(ctx context.Context, resource schema.GroupResource, wanted *autoscalingv1.Scale) error {
	_, err := r.Scales.Scales(wanted.Namespace).Update(ctx, resource, wanted, metav1.UpdateOptions{})
	return err
}

// any is called with what comes from the outside.
func (r *Reconciler) any(ctx context.Context, objects []client.Object) error {
	for _, obj := range objects {
		if err := r.Patch(ctx, obj, client.MergeFrom(obj)); err != nil {
			return err
		}
	}
	return nil
}

// Reconcile makes it so.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.cachedReads(ctx, req.NamespacedName); err != nil {
		return ctrl.Result{}, err
	}
	if err := readers["deployments"](ctx, r.Kube, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.status(ctx, &backup); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.used(ctx, req.NamespacedName); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.byScheme(ctx, &gadgets.Gadget{}); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.makeSo(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}}); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.byRole(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.byChart(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.chosen(ctx, schema.GroupVersionResource{Group: req.Name, Resource: req.Namespace}, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.scaled(ctx, schema.GroupResource{Resource: req.Namespace}, &autoscalingv1.Scale{}); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.any(ctx, decoded()); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, &appsv1.Deployment{}); err != nil {
		return ctrl.Result{}, err
	}
	//nolint:rbac // granted by hand in the test clusters
	return ctrl.Result{}, r.Delete(ctx, &batchv1.Job{})
}

var decoded = func() []client.Object { return nil }

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	mgr.GetEventRecorderFor("right").Event(&v1.Backup{}, corev1.EventTypeNormal, "Started", "started")
	err = ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		Complete(&Reconciler{Client: &counted{Client: mgr.GetClient()}, Dynamic: dynamic.NewForConfigOrDie(mgr.GetConfig())})
	if err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}

// counted is put around the client, and nobody deletes anything with it.
type counted struct {
	client.Client
	calls int
}

// DeleteAllOf is there since the interface has it.
func (c *counted) DeleteAllOf(ctx context.Context, obj client.Object, opts ...client.DeleteAllOfOption) error {
	c.calls++
	if _, ok := obj.(*v1.Backup); ok {
		return c.Client.DeleteAllOf(ctx, &v1.Backup{}, opts...)
	}
	return c.Client.DeleteAllOf(ctx, obj, opts...)
}
