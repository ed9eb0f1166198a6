// Package deletiontimestamp reads deletion timestamps with the libraries of
// the time before generics.
package deletiontimestamp

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

type reconciler struct {
	client.Client
	core kubernetes.Interface
	pods corelisters.PodLister
}

func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	wait := time.Until(backup.DeletionTimestamp.Add(time.Minute)) // want `the object that Get reads is nil`
	return reconcile.Result{RequeueAfter: wait}, nil
}

func (r *reconciler) lister() (stuck int, err error) {
	pods, err := r.pods.List(labels.Everything())
	if err != nil {
		return 0, err
	}
	for _, pod := range pods {
		if time.Since(pod.DeletionTimestamp.Time) > time.Minute { // want `a listed object is nil`
			stuck++
		}
	}
	return stuck, nil
}

func (r *reconciler) typed(ctx context.Context) (stuck int, err error) {
	pods, err := r.core.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	for _, pod := range pods.Items {
		if pod.GetDeletionTimestamp().Add(time.Minute).Before(time.Now()) { // want `a listed object is nil`
			stuck++
		}
	}
	return stuck, nil
}

var _ = cache.ResourceEventHandlerFuncs{
	AddFunc: func(obj interface{}) {
		_ = obj.(*corev1.Pod).DeletionTimestamp.Unix() // want `the object that AddFunc gets is nil`
	},
	DeleteFunc: func(obj interface{}) {
		_ = obj.(*corev1.Pod).DeletionTimestamp.Unix()
	},
}

var _ = handler.EnqueueRequestsFromMapFunc(func(obj client.Object) []reconcile.Request {
	if time.Since(obj.GetDeletionTimestamp().Time) > time.Minute { // want `nil-dereference`
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(obj)}}
})

func (r *reconciler) checked(ctx context.Context, key client.ObjectKey) time.Duration {
	var backup v1.Backup
	if err := r.Get(ctx, key, &backup); err != nil || backup.DeletionTimestamp.IsZero() {
		return 0
	}
	return time.Since(backup.GetDeletionTimestamp().Time)
}

func (r *reconciler) checkedInTheLoop(ctx context.Context) (last time.Time, err error) {
	pods, err := r.core.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return last, err
	}
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp != nil && pod.DeletionTimestamp.After(last) {
			last = pod.DeletionTimestamp.Time
		}
	}
	return last, nil
}
