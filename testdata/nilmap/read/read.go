// Package read stores entries into maps of objects that were read.
package read

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/nilmap/read/lib"
)

type reconciler struct {
	client.Client
	kube    kubernetes.Interface
	secrets corelisters.SecretLister
}

// The commonest form: an annotation on the object that is reconciled.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Annotations["seen"] == "true" {
		return ctrl.Result{}, nil
	}
	base := backup.DeepCopy()
	backup.Annotations["seen"] = "true" // want `this panics on the first Backup without annotations: the map is nil then; make it before this entry is stored \(nilmap/metadata\)`
	return ctrl.Result{}, r.Patch(ctx, &backup, client.MergeFrom(base))
}

// A typed client.
func (r *reconciler) label(ctx context.Context, ns, name string) error {
	service, err := r.kube.CoreV1().Services(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	service.Labels["managed"] = "true" // want `first Service without labels`
	_, err = r.kube.CoreV1().Services(ns).Update(ctx, service, metav1.UpdateOptions{})
	return err
}

// A lister, and a copy: what is nil in the one is nil in the other.
func (r *reconciler) store(ctx context.Context, ns, name string) error {
	cached, err := r.secrets.Secrets(ns).Get(name)
	if err != nil {
		return err
	}
	secret := cached.DeepCopy()
	secret.Labels["rotated"] = "true" // want `first Secret without labels: .* \(nilmap/metadata\)`
	_, err = r.kube.CoreV1().Secrets(ns).Update(ctx, secret, metav1.UpdateOptions{})
	return err
}

// stringData is never sent.
func (r *reconciler) plain(ctx context.Context, key types.NamespacedName) error {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, key, secret); err != nil {
		return err
	}
	secret.StringData["user"] = "admin" // want `this panics: stringData of a Secret that was read is always nil; store the entry into Data \(nilmap/data\)`
	return r.Update(ctx, secret)
}

// CreateOrUpdate reads the object before it runs the function: in the first run
// there is none.
func (r *reconciler) upsert(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Data["source"] = backup.Spec.Source // want `first ConfigMap without data`
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

// Elements of a list.
func (r *reconciler) pause(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		backup := &list.Items[i]
		backup.Labels["paused"] = "true" // want `first Backup without labels`
		if err := r.Update(ctx, backup); err != nil {
			return err
		}
	}
	return nil
}

// The map by its getter, and set again.
func (r *reconciler) mark(ctx context.Context, key types.NamespacedName) error {
	account := &corev1.ServiceAccount{}
	if err := r.Get(ctx, key, account); err != nil {
		return err
	}
	annotations := account.GetAnnotations()
	annotations["mark"] = "x" // want `first ServiceAccount without annotations`
	account.SetAnnotations(annotations)
	return r.Update(ctx, account)
}

// One entry beside those of another map.
func (r *reconciler) copyAll(ctx context.Context, key types.NamespacedName, more map[string]string) error {
	var service corev1.Service
	if err := r.Get(ctx, key, &service); err != nil {
		return err
	}
	mergeInto(service.Labels, more)
	return r.Update(ctx, &service)
}

func mergeInto(target, more map[string]string) {
	target["merged"] = "true" // want `first Service without labels`
	for k, v := range more {
		target[k] = v
	}
}

// In helpers that are handed the object.
func (r *reconciler) helped(ctx context.Context, key types.NamespacedName) error {
	quota := &corev1.ResourceQuota{}
	if err := r.Get(ctx, key, quota); err != nil {
		return err
	}
	setHash(quota, "x")
	touch(&quota.ObjectMeta)
	return r.Update(ctx, quota)
}

func setHash(quota *corev1.ResourceQuota, hash string) {
	quota.Annotations["hash"] = hash // want `first ResourceQuota without annotations`
}

func touch(meta *metav1.ObjectMeta) {
	meta.Labels["touched"] = "true" // want `first ResourceQuota without labels`
}

// A look that says that the entry is missing says nothing of the map.
func (r *reconciler) unlessThere(ctx context.Context, key types.NamespacedName) error {
	var claim corev1.PersistentVolumeClaim
	if err := r.Get(ctx, key, &claim); err != nil {
		return err
	}
	if _, ok := claim.Labels["owner"]; !ok {
		claim.Labels["owner"] = "me" // want `first PersistentVolumeClaim without labels`
	}
	var service corev1.Service
	if err := r.Get(ctx, key, &service); err != nil {
		return err
	}
	if service.Annotations["checked"] != "true" {
		service.Annotations["checked"] = "true" // want `first Service without annotations`
	}
	return r.Update(ctx, &claim)
}

// A webhook is handed what the user has sent.
type defaulter struct{}

func (defaulter) Default(_ context.Context, backup *v1.Backup) error {
	backup.Labels["source"] = backup.Spec.Source // want `first Backup without labels`
	return nil
}

func setup(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &v1.Backup{}).WithDefaulter(defaulter{}).Complete()
}

// A handler of an informer.
func watch(informer cache.SharedIndexInformer, c kubernetes.Interface) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			config := obj.(*corev1.ConfigMap).DeepCopy()
			config.Annotations["seen"] = "true" // want `first ConfigMap without annotations`
			_, _ = c.CoreV1().ConfigMaps(config.Namespace).Update(context.Background(), config, metav1.UpdateOptions{})
		},
	})
}

// A copy of an element of a list.
func (r *reconciler) resume(ctx context.Context, names []string) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for _, backup := range list.Items {
		for _, name := range names {
			if backup.Name == name {
				backup.Annotations["resumed"] = "true" // want `first Backup without annotations`
				return r.Update(ctx, &backup)
			}
		}
	}
	return nil
}

// The entry is stored in another package, which takes the map to be there.
func (r *reconciler) markElsewhere(ctx context.Context, key client.ObjectKey) error {
	config := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, config); err != nil {
		return err
	}
	lib.Mark(config)           // want `this panics on the first ConfigMap without annotations: lib/lib\.go:\d+ stores an entry into nil; make the map before \(nilmap/metadata\)`
	lib.Put(config.Labels)     // want `without labels: lib/lib\.go:\d+ stores an entry into nil.*\(nilmap/metadata\)`
	lib.MarkSafely(config)     // which makes it
	lib.PutSafely(config.Data) // which looks
	return r.Update(ctx, config)
}

// The map is made in another phase.
func (r *reconciler) phased(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	if backup.Status.Phase == v1.BackupRunning {
		backup.Annotations = map[string]string{}
	}
	backup.Spec.Paused = false
	if backup.Status.Phase == v1.BackupCompleted {
		backup.Annotations["done"] = "true" // want `first Backup without annotations`
	}
	return r.Update(ctx, backup)
}

// It is the template that may have no annotations.
func (r *reconciler) restart(ctx context.Context, key types.NamespacedName) error {
	set := &appsv1.DaemonSet{}
	if err := r.Get(ctx, key, set); err != nil {
		return err
	}
	set.Spec.Template.Annotations["restarted"] = "true" // want `this panics on the first DaemonSet without annotations in spec\.template: the map is nil then`
	return r.Update(ctx, set)
}
