// Package implementations has goroutines that one of several implementations of an interface
// starts.
package implementations

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// groups makes groups of pods in the way of a scheduler.
type groups interface {
	create(ctx context.Context, pod *corev1.Pod) error
	watch(ctx context.Context, pod *corev1.Pod)
	follow(ctx context.Context, name string)
	once(name string)
}

type plain struct{ kube kubernetes.Interface }

func (p *plain) create(ctx context.Context, pod *corev1.Pod) error {
	_, err := p.kube.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	return err
}

func (p *plain) watch(context.Context, *corev1.Pod) {}
func (p *plain) follow(context.Context, string)     {}
func (p *plain) once(string)                        {}

type eager struct {
	kube  kubernetes.Interface
	known map[string]bool
}

// create reports on the pod as long as the context lives.
func (e *eager) create(ctx context.Context, pod *corev1.Pod) error {
	created, err := e.kube.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	go wait.UntilWithContext(ctx, func(ctx context.Context) { e.report(ctx, created.Name) }, time.Second) // want `^leak: create \(from Reconcile\) starts a goroutine that never ends: memory grows each time.*endless`
	return nil
}

func (e *eager) report(ctx context.Context, name string) {
	_, err := e.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	klog.Info(err)
}

// watch ends with the context, which the caller cancels.
func (e *eager) watch(ctx context.Context, pod *corev1.Pod) {
	go wait.UntilWithContext(ctx, func(ctx context.Context) { e.report(ctx, pod.Name) }, time.Second)
}

func (e *eager) follow(ctx context.Context, name string) {
	go e.report(ctx, name) // it ends, and which implementation runs is not known
}

// once keeps one loop for each name.
func (e *eager) once(name string) {
	if e.known[name] {
		return
	}
	e.known[name] = true
	go wait.Forever(func() { e.report(context.Background(), name) }, time.Second)
}

// double is for tests, which alone make one.
type double struct{ plain }

func (d *double) create(ctx context.Context, pod *corev1.Pod) error {
	go wait.Forever(func() { klog.Info(pod.Name) }, time.Second)
	return nil
}

var _ groups = &double{}

type reconciler struct{ groups groups }

func newReconciler(kube kubernetes.Interface, isEager bool) *reconciler {
	r := &reconciler{groups: &plain{kube: kube}}
	if isEager {
		r.groups = &eager{kube: kube}
	}
	return r
}

// Reconcile makes the group under a context that nobody ends.
func (r *reconciler) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.groups.create(context.TODO(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: req.Name}})
}

func (r *reconciler) funcs() []reconcile.Func { return []reconcile.Func{r.right} }

// right leaves nothing behind that does not end.
func (r *reconciler) right(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.groups.watch(ctx, new(corev1.Pod))
	r.groups.follow(ctx, req.Name)
	r.groups.once(req.Name)
	return ctrl.Result{}, nil
}
