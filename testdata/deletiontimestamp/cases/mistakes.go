package cases

import (
	"context"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/deletiontimestamp/lib"
)

func (r *reconciler) sinceThen(ctx context.Context, key client.ObjectKey) error {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return client.IgnoreNotFound(err)
	}
	if time.Since(pod.DeletionTimestamp.Time) > grace { // want `crash: panics on live objects: the DeletionTimestamp of the object that Get reads is nil until deletion; .*\(deletiontimestamp/nil-dereference\)`
		return r.forceDelete(ctx, &pod)
	}
	return nil
}

func (r *reconciler) throughTheGetter(ctx context.Context, key client.ObjectKey) (string, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return "", err
	}
	return backup.GetDeletionTimestamp().Format(time.RFC3339), nil // want `nil-dereference`
}

func (r *reconciler) typedClient(ctx context.Context, namespace, name string) (bool, error) {
	pod, err := r.core.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	deadline := pod.DeletionTimestamp.Add(grace) // want `the object that Get returns is nil`
	return time.Now().After(deadline), nil
}

func (r *reconciler) lister(namespace, name string) (int64, error) {
	pod, err := r.pods.Pods(namespace).Get(name)
	if err != nil {
		return 0, err
	}
	return pod.DeletionTimestamp.Unix(), nil // want `nil-dereference`
}

func (r *reconciler) listed(ctx context.Context) (stuck int, err error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods); err != nil {
		return 0, err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if controllerutil.ContainsFinalizer(pod, v1.Finalizer) && pod.DeletionTimestamp.Before(&metav1.Time{}) {
			continue
		}
		if time.Since(pod.DeletionTimestamp.Time) > grace { // want `the DeletionTimestamp of a listed object is nil`
			stuck++
		}
	}
	return stuck, nil
}

func (r *reconciler) listedByValue(ctx context.Context, namespace string) (last time.Time, err error) {
	pods, err := r.core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return last, err
	}
	for _, pod := range pods.Items {
		if at := *pod.DeletionTimestamp; at.After(last) { // want `nil-dereference`
			last = at.Time
		}
	}
	return last, nil
}

func (r *reconciler) sorted() ([]*corev1.Pod, error) {
	pods, err := r.pods.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, pod := range pods {
		names = append(names, pod.Name+pod.DeletionTimestamp.String()) // want `nil-dereference`
	}
	sort.Strings(names)
	return nil, nil
}

// The check is on one of the two ways only.
func (r *reconciler) checkedOnOnePath(ctx context.Context, key client.ObjectKey) error {
	var backup v1.Backup
	if err := r.Get(ctx, key, &backup); err != nil {
		return err
	}
	if backup.Spec.Paused {
		if backup.DeletionTimestamp == nil {
			return nil
		}
	}
	if backup.DeletionTimestamp.Add(grace).Before(time.Now()) { // want `nil-dereference`
		return r.forceDelete(ctx, &backup)
	}
	return nil
}

// The check is the wrong way round.
func (r *reconciler) invertedCheck(ctx context.Context, key client.ObjectKey) (age time.Duration, err error) {
	var backup v1.Backup
	if err := r.Get(ctx, key, &backup); err != nil {
		return 0, err
	}
	if backup.DeletionTimestamp.IsZero() {
		age = time.Since(backup.DeletionTimestamp.Time) // want `nil-dereference`
	}
	return age, nil
}

// Another object is checked.
func (r *reconciler) otherObject(ctx context.Context, key client.ObjectKey) error {
	var backup v1.Backup
	var pod corev1.Pod
	if err := r.Get(ctx, key, &backup); err != nil {
		return err
	}
	if err := r.Get(ctx, key, &pod); err != nil {
		return err
	}
	if !backup.DeletionTimestamp.IsZero() && time.Since(pod.DeletionTimestamp.Time) > grace { // want `nil-dereference`
		return r.forceDelete(ctx, &pod)
	}
	return nil
}

func (r *reconciler) helperElsewhere(ctx context.Context, key client.ObjectKey) (time.Duration, error) {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return 0, err
	}
	return lib.DeletingFor(&pod), nil // want `DeletingFor reads the DeletionTimestamp of the object that Get reads, nil until deletion`
}

func (r *reconciler) ownHelper(ctx context.Context, key client.ObjectKey) (bool, error) {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return false, err
	}
	return expired(&pod), nil
}

// Two call it, and it is one mistake.
func expired(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp.Add(grace).Before(time.Now()) // want `the DeletionTimestamp of the object that Get reads \(mistakes.go:\d+\) is nil`
}

func (r *reconciler) expiredOnes() (expiredPods []string, err error) {
	pods, err := r.pods.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	for _, pod := range pods {
		if expired(pod) {
			expiredPods = append(expiredPods, pod.Name)
		}
	}
	return expiredPods, nil
}

func informerHandler(informer cache.SharedInformer, terminated func(string, time.Time)) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) {
			pod, ok := obj.(*corev1.Pod)
			if !ok {
				return
			}
			terminated(pod.Name, pod.DeletionTimestamp.Time) // want `the object that UpdateFunc gets is nil`
		},
	})
	return err
}

// Its Update is called for each change of an object.
type eventHandler struct{ handler.Funcs }

func (eventHandler) OnAdd(obj any, _ bool) {
	pod := obj.(*corev1.Pod)
	_ = pod.DeletionTimestamp.Unix() // want `the object that OnAdd gets is nil`
}
func (eventHandler) OnUpdate(_, _ any) {}
func (eventHandler) OnDelete(any)      {}

func mapFunc(_ context.Context, obj client.Object) []reconcile.Request {
	if time.Since(obj.GetDeletionTimestamp().Time) > grace { // want `nil-dereference`
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(obj)}}
}

var _ = handler.EnqueueRequestsFromMapFunc(mapFunc)

func changed(e event.UpdateEvent) bool {
	return e.ObjectNew.GetDeletionTimestamp().After(e.ObjectOld.GetDeletionTimestamp().Time)
}

// The flag is set in one more case, in which nobody has asked.
func (r *reconciler) flaggedOtherwise(ctx context.Context, key client.ObjectKey) (ends time.Time) {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return ends
	}
	terminating := false
	switch {
	case pod.DeletionTimestamp != nil && pod.Status.Phase == corev1.PodRunning:
		terminating = true
	case pod.Status.Phase == corev1.PodFailed:
		terminating = true
	}
	if terminating {
		ends = pod.DeletionTimestamp.Add(grace) // want `nil-dereference`
	}
	return ends
}
