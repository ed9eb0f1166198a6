// Package controller has the controllers for the operator's own kinds.
package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

const (
	image = "registry.demo.opvet.dev/cache"
	port  = 6379
)

// CacheReconciler runs a StatefulSet for each Cache.
type CacheReconciler struct {
	client.Client
	// HTTP is for the servers' administration endpoint.
	HTTP *http.Client
}

// +kubebuilder:rbac:groups=cache.demo.opvet.dev,resources=caches,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=cache.demo.opvet.dev,resources=caches/status,verbs=update
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=list;watch;deletecollection

// Reconcile brings the cluster closer to what a Cache asks for.
func (r *CacheReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !cache.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finalize(ctx, &cache)
	}
	if controllerutil.AddFinalizer(&cache, v1alpha1.Finalizer) {
		if err := r.Update(ctx, &cache); err != nil {
			return ctrl.Result{}, fmt.Errorf("adding the finalizer: %w", err)
		}
	}
	if upgradeNeeded(&cache) {
		if err := r.startUpgrade(ctx, &cache); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}

	sts, err := r.ensureStatefulSet(ctx, &cache)
	if err != nil {
		return ctrl.Result{}, errors.Join(err, r.markFailed(ctx, &cache, err))
	}
	if err := r.publishAddress(ctx, &cache); err != nil {
		return ctrl.Result{}, err
	}
	if sts.Status.ReadyReplicas > 0 && cache.Status.Phase == v1alpha1.CacheCreating {
		go r.warmUp(address(&cache))
	}
	return ctrl.Result{}, r.updateStatus(ctx, &cache, sts)
}

func upgradeNeeded(cache *v1alpha1.Cache) bool {
	return cache.Status.Version != "" &&
		cache.Status.Version != cache.Spec.Version &&
		cache.Status.Phase == v1alpha1.CacheReady
}

// startUpgrade announces the upgrade before any server is restarted.
func (r *CacheReconciler) startUpgrade(ctx context.Context, cache *v1alpha1.Cache) error {
	cache.Status.Phase = v1alpha1.CacheUpgrading
	metav1.SetMetaDataAnnotation(&cache.ObjectMeta, v1alpha1.PreviousVersionAnnotation, cache.Status.Version)
	if err := r.Update(ctx, cache); err != nil {
		return fmt.Errorf("remembering the previous version: %w", err)
	}
	if err := r.Status().Update(ctx, cache); err != nil {
		return fmt.Errorf("announcing the upgrade: %w", err)
	}
	return nil
}

// ensureStatefulSet makes the servers what the Cache says.
func (r *CacheReconciler) ensureStatefulSet(ctx context.Context, cache *v1alpha1.Cache) (*appsv1.StatefulSet, error) {
	sts := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: cache.Name, Namespace: cache.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, sts, func() error {
		labels := map[string]string{"cache.demo.opvet.dev/name": cache.Name}
		sts.Spec.Replicas = cache.Spec.Replicas
		sts.Spec.ServiceName = cache.Name
		sts.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		sts.Spec.Template.Labels = labels
		sts.Spec.Template.Spec.Containers = []corev1.Container{{
			Name:  "server",
			Image: image + ":" + cache.Spec.Version,
			Ports: []corev1.ContainerPort{{ContainerPort: port}},
		}}
		return controllerutil.SetControllerReference(cache, sts, r.Scheme())
	})
	if err != nil {
		return nil, fmt.Errorf("ensuring the StatefulSet: %w", err)
	}
	return sts, nil
}

// publishAddress tells clients, through a ConfigMap, where the servers are.
func (r *CacheReconciler) publishAddress(ctx context.Context, cache *v1alpha1.Cache) error {
	cm := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: cache.Namespace, Name: cache.Name + "-address"}
	err := r.Get(ctx, key, cm)
	if apierrors.IsNotFound(err) {
		cm.Name, cm.Namespace = key.Name, key.Namespace
		cm.Data = map[string]string{"address": address(cache)}
		if err := controllerutil.SetControllerReference(cache, cm, r.Scheme()); err != nil {
			return err
		}
		return r.Create(ctx, cm)
	}
	if err != nil {
		return fmt.Errorf("reading the address: %w", err)
	}
	if cm.Data["address"] == address(cache) {
		return nil
	}
	cm.Data = map[string]string{"address": address(cache)}
	if err := r.Status().Update(ctx, cm); err != nil {
		return fmt.Errorf("publishing the address: %w", err)
	}
	return nil
}

// warmUp loads the working set, which takes a while.
func (r *CacheReconciler) warmUp(address string) {
	resp, err := r.HTTP.Post("http://"+address+"/warmup", "application/json", nil)
	if err != nil {
		ctrl.Log.Error(err, "warming up", "address", address)
		return
	}
	if err := resp.Body.Close(); err != nil {
		ctrl.Log.Error(err, "warming up", "address", address)
	}
}

// updateStatus records what the servers are like.
func (r *CacheReconciler) updateStatus(ctx context.Context, cache *v1alpha1.Cache, sts *appsv1.StatefulSet) error {
	old := cache.Status.DeepCopy()
	cache.Status.ObservedGeneration = cache.Generation
	cache.Status.ReadyReplicas = sts.Status.ReadyReplicas
	ready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: "ServersStarting"}
	if sts.Spec.Replicas != nil && sts.Status.ReadyReplicas == *sts.Spec.Replicas {
		cache.Status.Phase = v1alpha1.CacheReady
		cache.Status.Version = cache.Spec.Version
		ready.Status, ready.Reason = metav1.ConditionTrue, "ServersReady"
	} else if cache.Status.Phase != v1alpha1.CacheUpgrading {
		cache.Status.Phase = v1alpha1.CacheCreating
	}
	meta.SetStatusCondition(&cache.Status.Conditions, ready)
	if equality.Semantic.DeepEqual(*old, cache.Status) {
		return nil
	}
	if err := r.Status().Update(ctx, cache); err != nil {
		return fmt.Errorf("updating the status: %w", err)
	}
	return nil
}

// markFailed records why a Cache does not come up.
func (r *CacheReconciler) markFailed(ctx context.Context, cache *v1alpha1.Cache, cause error) error {
	log.FromContext(ctx).Error(cause, "cache failed")
	cache.Status.Phase = v1alpha1.CacheFailed
	meta.SetStatusCondition(&cache.Status.Conditions, metav1.Condition{
		Type:    v1alpha1.ConditionReady,
		Status:  metav1.ConditionFalse,
		Reason:  "ReconcileFailed",
		Message: cause.Error(),
	})
	if err := r.Update(ctx, cache); err != nil {
		return fmt.Errorf("recording the failure: %w", err)
	}
	return nil
}

// finalize removes the volumes, which nothing else does.
func (r *CacheReconciler) finalize(ctx context.Context, cache *v1alpha1.Cache) error {
	if !controllerutil.ContainsFinalizer(cache, v1alpha1.Finalizer) {
		return nil
	}
	err := r.DeleteAllOf(ctx, &corev1.PersistentVolumeClaim{},
		client.InNamespace(cache.Namespace),
		client.MatchingLabels{"cache.demo.opvet.dev/name": cache.Name})
	if err != nil {
		return fmt.Errorf("deleting the volumes: %w", err)
	}
	cache.Status.Phase = v1alpha1.CacheDeleting
	controllerutil.RemoveFinalizer(cache, v1alpha1.Finalizer) //nolint:statusupdate // stored with the status
	if err := r.Status().Update(ctx, cache); err != nil {
		return fmt.Errorf("removing the finalizer: %w", err)
	}
	return nil
}

func address(cache *v1alpha1.Cache) string {
	return fmt.Sprintf("%s.%s.svc:%d", cache.Name, cache.Namespace, port)
}

// SetupWithManager registers the controller.
func (r *CacheReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.Cache{}).
		Owns(&appsv1.StatefulSet{}).
		Owns(&corev1.ConfigMap{}).
		Complete(r)
}
