// Command missing makes calls that its markers do not allow.
package main

import (
	"context"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create
// +kubebuilder:rbac:groups="",resources=services;endpoints,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=core,resources=nodes,verbs=list;watch

// Reconciler does what it may not.
type Reconciler struct {
	client.Client
	Reader  client.Reader
	Clients kubernetes.Interface
	Dynamic dynamic.Interface
}

// Reconcile begins with the helpers of each kind.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	for _, step := range []func(context.Context, *v1.Backup) error{r.settings, r.secret, r.status, r.node, r.scale, r.logs, r.policy, r.endpoints, r.helped, r.settled, r.cleaned, r.quota, r.account, r.evicted, r.token} {
		if err := step(ctx, &backup); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

func (r *Reconciler) settings(ctx context.Context, backup *v1.Backup) error {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, settings, func() error { return nil }) // want `^hygiene: controllerutil\.CreateOrUpdate is always forbidden: no role grants update of configmaps; add it to the marker .*rbac/missing-verb`
	return err
}

func (r *Reconciler) secret(ctx context.Context, backup *v1.Backup) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	return r.Create(ctx, secret) // want `^stuck: r\.Create is always forbidden: no role grants create of secrets; add a marker .*rbac/missing-resource`
}

func (r *Reconciler) status(ctx context.Context, backup *v1.Backup) error {
	return r.Status().Update(ctx, backup) // want `^stuck: .*Update is always forbidden: no role grants update of backups\.example\.opvet\.dev/status; add a marker .*rbac/missing-subresource`
}

// The reader goes past the cache, so that list and watch do not help.
func (r *Reconciler) node(ctx context.Context, backup *v1.Backup) error {
	return r.Reader.Get(ctx, client.ObjectKey{Name: backup.Name}, &corev1.Node{}) // want `^stuck: r\.Reader\.Get is always forbidden: no role grants get of nodes; .*rbac/missing-verb`
}

func (r *Reconciler) scale(ctx context.Context, backup *v1.Backup) error {
	_, err := r.Clients.AppsV1().Deployments(backup.Namespace).UpdateScale(ctx, backup.Name, &autoscalingv1.Scale{}, metav1.UpdateOptions{}) // want `^stuck: UpdateScale is always forbidden: no role grants update of deployments\.apps/scale; .*rbac/missing-subresource`
	return err
}

func (r *Reconciler) logs(ctx context.Context, backup *v1.Backup) error {
	_, err := r.Clients.CoreV1().Pods(backup.Namespace).GetLogs(backup.Name, &corev1.PodLogOptions{}).DoRaw(ctx) // want `^stuck: GetLogs is always forbidden: no role grants get of pods/log; .*rbac/missing-subresource`
	return err
}

func (r *Reconciler) policy(ctx context.Context, backup *v1.Backup) error {
	policies := r.Dynamic.Resource(schema.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"})
	return policies.Namespace(backup.Namespace).Delete(ctx, backup.Name, metav1.DeleteOptions{}) // want `^stuck: Delete is always forbidden: no role grants delete of poddisruptionbudgets\.policy; .*rbac/missing-resource`
}

// Users grant this in their own namespaces, for the accounts that they name.
func (r *Reconciler) token(ctx context.Context, backup *v1.Backup) error {
	_, err := r.Clients.CoreV1().ServiceAccounts(backup.Namespace).CreateToken(ctx, backup.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{}) // want `^hygiene: CreateToken is always forbidden: no role grants create of serviceaccounts/token; .*rbac/missing-subresource`
	return err
}

// The marker is one of two resources, so that the fix writes another.
func (r *Reconciler) endpoints(ctx context.Context, backup *v1.Backup) error {
	if err := r.List(ctx, &corev1.EndpointsList{}, client.InNamespace(backup.Namespace)); err != nil {
		return err
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	return r.Delete(ctx, service) // want `^stuck: r\.Delete is always forbidden: no role grants delete of services; .*rbac/missing-verb`
}

func (r *Reconciler) helped(ctx context.Context, backup *v1.Backup) error {
	ingress := &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	return put(ctx, r.Client, ingress) // want `^stuck: c\.Patch is always forbidden: no role grants patch of ingresses\.networking\.k8s\.io; .*rbac/missing-resource`
}

// put does not know the kind; its caller does.
func put(ctx context.Context, c client.Client, obj client.Object) error {
	return c.Patch(ctx, obj, client.MergeFrom(obj))
}

// settled makes several kinds so; which of them are ever changed cannot be told.
func (r *Reconciler) settled(ctx context.Context, backup *v1.Backup) error {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	if err := settle(ctx, r.Client, class, backup.Spec.Source != ""); err != nil { // want `^hygiene: c\.Update is always forbidden: .*rbac/missing-`
		return err
	}
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	return settle(ctx, r.Client, binding, true) // want `^hygiene: c\.Update is always forbidden: .*rbac/missing-`
}

func settle(ctx context.Context, c client.Client, obj client.Object, wanted bool) error {
	if !wanted {
		return c.Delete(ctx, obj)
	}
	return c.Update(ctx, obj)
}

func (r *Reconciler) cleaned(ctx context.Context, backup *v1.Backup) error {
	return r.DeleteAllOf(ctx, &corev1.PersistentVolumeClaim{}, client.InNamespace(backup.Namespace)) // want `^stuck: r\.DeleteAllOf is always forbidden: no role grants deletecollection of persistentvolumeclaims; .*rbac/missing-resource`
}

// The first read starts an informer.
func (r *Reconciler) quota(ctx context.Context, backup *v1.Backup) error {
	var quotas corev1.ResourceQuotaList
	// Without the watch below no controller starts, and this is never run.
	if err := r.Get(ctx, client.ObjectKeyFromObject(backup), &batchv1.Job{}); err != nil {
		return err
	}
	return r.List(ctx, &quotas, client.InNamespace(backup.Namespace)) // want `^stuck: r\.List waits for an informer that never syncs: no role grants list and watch of resourcequotas; .*rbac/missing-resource`
}

func (r *Reconciler) account(ctx context.Context, backup *v1.Backup) error {
	account := &unstructured.Unstructured{}
	account.SetGroupVersionKind(schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"})
	account.SetName(backup.Name)
	return r.Create(ctx, account) // want `^stuck: r\.Create is always forbidden: no role grants create of certificates\.cert-manager\.io; .*rbac/missing-resource`
}

// The client for evictions has no kind of its own.
func (r *Reconciler) evicted(ctx context.Context, backup *v1.Backup) error {
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	return r.Clients.PolicyV1().Evictions(backup.Namespace).Evict(ctx, eviction) // want `^stuck: Evict is always forbidden: no role grants create of pods/eviction; add a marker .*rbac/missing-subresource`
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: true, LeaderElectionID: "missing"}) // want `^stuck: no replica ever leads: no role grants get, create and update of leases\.coordination\.k8s\.io; .*rbac/missing-resource`
	if err != nil {
		os.Exit(1)
	}
	r := &Reconciler{
		Client: mgr.GetClient(), Reader: mgr.GetAPIReader(),
		Clients: kubernetes.NewForConfigOrDie(mgr.GetConfig()), Dynamic: dynamic.NewForConfigOrDie(mgr.GetConfig()),
	}
	recorder := mgr.GetEventRecorder("missing") // want `^loss: events are dropped: no role grants create and patch of events\.events\.k8s\.io; .*rbac/missing-resource`
	recorder.Eventf(&v1.Backup{}, nil, corev1.EventTypeNormal, "Started", "Start", "started")
	err = ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		Owns(&batchv1.Job{}). // want `^stuck: the informer never syncs, and its controller never starts: no role grants list and watch of jobs\.batch; .*rbac/missing-resource`
		Complete(r)
	if err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
