// Command existing has CreateOrUpdate change what is there: it may create nothing.
package main

import (
	"context"
	"errors"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch;update
// +kubebuilder:rbac:groups="",resources=nodes;configmaps;secrets;services;endpoints;serviceaccounts,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=apps,resources=deployments;daemonsets;replicasets,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=batch,resources=jobs;cronjobs,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=networking.k8s.io,resources=ingresses,verbs=get;list;watch;update;delete
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;update

// Reconciler puts labels on what there is.
type Reconciler struct{ client.Client }

// Reconcile begins with the object itself.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, backup, func() error { backup.Labels = nil; return nil }); err != nil {
		return ctrl.Result{}, err
	}
	for _, step := range []func(context.Context, string) error{r.found, r.listed, r.elements, r.helped, r.ignored, r.goneOn, r.renamed, r.copied, r.deleted, r.sometimes, r.rounds, r.mayBeNew, r.readByHelper, r.mayBeNewByHelper} {
		if err := step(ctx, req.Name); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.label(ctx, backup)
}

func (r *Reconciler) label(ctx context.Context, backup *v1.Backup) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, backup, func() error { backup.Labels = nil; return nil })
	return err
}

func (r *Reconciler) node(ctx context.Context, name string) (*corev1.Node, error) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := r.Get(ctx, client.ObjectKeyFromObject(node), node); err != nil {
		return nil, err
	}
	return node, nil
}

func (r *Reconciler) found(ctx context.Context, name string) error {
	node, err := r.node(ctx, name)
	if err != nil {
		return err
	}
	_, err = controllerutil.CreateOrUpdate(ctx, r.Client, node, func() error { node.Labels = nil; return nil })
	return err
}

func (r *Reconciler) listed(ctx context.Context, name string) error {
	var services corev1.ServiceList
	if err := r.List(ctx, &services); err != nil {
		return err
	}
	for i := range services.Items {
		service := &services.Items[i]
		if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, service, func() error { service.Labels = nil; return nil }); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) elements(ctx context.Context, name string) error {
	endpoints := &corev1.EndpointsList{}
	if err := r.List(ctx, endpoints); err != nil {
		return err
	}
	for _, e := range endpoints.Items {
		if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, &e, func() error { e.Labels = nil; return nil }); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) helped(ctx context.Context, name string) error {
	account := &corev1.ServiceAccount{}
	if err := r.Get(ctx, client.ObjectKey{Name: name}, account); err != nil {
		return err
	}
	return r.put(ctx, account)
}

func (r *Reconciler) put(ctx context.Context, account *corev1.ServiceAccount) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, account, func() error { account.Labels = nil; return nil })
	return err
}

// What is not found is made.
func (r *Reconciler) ignored(ctx context.Context, name string) error {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := r.Get(ctx, client.ObjectKeyFromObject(settings), settings); client.IgnoreNotFound(err) != nil {
		return err
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, settings, func() error { settings.Labels = nil; return nil }) // want `^hygiene: .*: no role grants create of configmaps; .*rbac/missing-verb`
	return err
}

func (r *Reconciler) goneOn(ctx context.Context, name string) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := r.Get(ctx, client.ObjectKeyFromObject(deployment), deployment); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error { deployment.Labels = nil; return nil }) // want `^hygiene: .*: no role grants create of deployments\.apps; .*rbac/missing-verb`
	return err
}

// Under another name it is another one.
func (r *Reconciler) renamed(ctx context.Context, name string) error {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Name: name}, secret); err != nil {
		return err
	}
	secret.Namespace = "copies"
	secret.SetResourceVersion("")
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error { secret.Labels = nil; return nil }) // want `^hygiene: .*: no role grants create of secrets; .*rbac/missing-verb`
	return err
}

func (r *Reconciler) copied(ctx context.Context, name string) error {
	job := &batchv1.Job{}
	if err := r.Get(ctx, client.ObjectKey{Name: name}, job); err != nil {
		return err
	}
	again := job.DeepCopy()
	again.ObjectMeta = metav1.ObjectMeta{Name: name + "-again"}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, again, func() error { again.Labels = nil; return nil }) // want `^hygiene: .*: no role grants create of jobs\.batch; .*rbac/missing-verb`
	return err
}

func (r *Reconciler) deleted(ctx context.Context, name string) error {
	ingress := &networkingv1.Ingress{}
	if err := r.Get(ctx, client.ObjectKey{Name: name}, ingress); err != nil {
		return err
	}
	if err := r.Delete(ctx, ingress); err != nil {
		return err
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, ingress, func() error { ingress.Labels = nil; return nil }) // want `^hygiene: .*: no role grants create of ingresses\.networking\.k8s\.io; .*rbac/missing-verb`
	return err
}

func (r *Reconciler) sometimes(ctx context.Context, name string) error {
	daemons := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if name != "" {
		if err := r.Get(ctx, client.ObjectKeyFromObject(daemons), daemons); err != nil {
			return err
		}
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, daemons, func() error { daemons.Labels = nil; return nil }) // want `^hygiene: .*: no role grants create of daemonsets\.apps; .*rbac/missing-verb`
	return err
}

// Only that of the first round has been read.
func (r *Reconciler) rounds(ctx context.Context, name string) error {
	for i := range 2 {
		budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if i == 0 {
			if err := r.Get(ctx, client.ObjectKeyFromObject(budget), budget); err != nil {
				return err
			}
		}
		if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, budget, func() error { budget.Labels = nil; return nil }); err != nil { // want `^hygiene: .*: no role grants create of poddisruptionbudgets\.policy; .*rbac/missing-verb`
			return err
		}
	}
	return nil
}

func (r *Reconciler) schedule(ctx context.Context, name string) (*batchv1.CronJob, error) {
	schedule := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: name}}
	err := r.Get(ctx, client.ObjectKeyFromObject(schedule), schedule)
	if apierrors.IsNotFound(err) {
		return schedule, nil
	}
	return schedule, err
}

func (r *Reconciler) mayBeNew(ctx context.Context, name string) error {
	schedule, err := r.schedule(ctx, name)
	if err != nil {
		return err
	}
	_, err = controllerutil.CreateOrUpdate(ctx, r.Client, schedule, func() error { schedule.Labels = nil; return nil }) // want `^hygiene: .*: no role grants create of cronjobs\.batch; .*rbac/missing-verb`
	return err
}

func (r *Reconciler) readByHelper(ctx context.Context, name string) error {
	account := &corev1.ServiceAccount{}
	if err := r.get(ctx, name, account); err != nil {
		return err
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, account, func() error { account.Labels = nil; return nil })
	return err
}

func (r *Reconciler) get(ctx context.Context, name string, account *corev1.ServiceAccount) error {
	if name == "" {
		return errors.New("no name")
	}
	return r.Get(ctx, client.ObjectKey{Name: name}, account)
}

func (r *Reconciler) mayBeNewByHelper(ctx context.Context, name string) error {
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := r.getIfThere(ctx, set); err != nil {
		return err
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, set, func() error { set.Labels = nil; return nil }) // want `^hygiene: .*: no role grants create of replicasets\.apps; .*rbac/missing-verb`
	return err
}

func (r *Reconciler) getIfThere(ctx context.Context, set *appsv1.ReplicaSet) error {
	return client.IgnoreNotFound(r.Get(ctx, client.ObjectKeyFromObject(set), set))
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&Reconciler{mgr.GetClient()}); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
