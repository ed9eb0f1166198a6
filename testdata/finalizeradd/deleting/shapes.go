package deleting

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// ensure is a helper for all kinds.
func ensure[T client.Object](ctx context.Context, c client.Client, obj T) error {
	if !controllerutil.AddFinalizer(obj, finalizer) {
		return nil
	}
	return c.Update(ctx, obj)
}

type generic struct{ client.Client }

func (r *generic) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := ensure(ctx, r.Client, b); err != nil { // want `while another finalizer keeps a deleted Backup, each reconcile fails: new ones are refused.*\(finalizeradd/while-deleting\)`
		return ctrl.Result{}, err
	}
	if b.DeletionTimestamp != nil {
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// controller has a workqueue, a lister and a typed client.
type controller struct {
	core   kubernetes.Interface
	lister corelisters.ConfigMapLister
	queue  workqueue.TypedRateLimitingInterface[string]
}

func (c *controller) run(ctx context.Context) {
	for c.next(ctx) {
	}
}

func (c *controller) next(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
	}
	return true
}

func (c *controller) sync(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	cached, err := c.lister.ConfigMaps(namespace).Get(name)
	if err != nil {
		return err
	}
	cm := cached.DeepCopy()
	if !hasFinalizer(&cm.ObjectMeta) {
		addFinalizer(&cm.ObjectMeta) // want `while another finalizer keeps a deleted ConfigMap, each reconcile fails: new ones are refused.*\(finalizeradd/while-deleting\)`
		_, err = c.core.CoreV1().ConfigMaps(namespace).Update(ctx, cm, metav1.UpdateOptions{})
		return err
	}
	if cm.DeletionTimestamp != nil {
		return c.finalize(ctx, cm)
	}
	return nil
}

func (c *controller) finalize(ctx context.Context, cm *corev1.ConfigMap) error {
	cm.Finalizers = slices.DeleteFunc(cm.Finalizers, func(f string) bool { return f == finalizer })
	_, err := c.core.CoreV1().ConfigMaps(cm.Namespace).Update(ctx, cm, metav1.UpdateOptions{})
	return err
}

func hasFinalizer(meta *metav1.ObjectMeta) bool { return slices.Contains(meta.Finalizers, finalizer) }
func addFinalizer(meta *metav1.ObjectMeta)      { meta.Finalizers = append(meta.Finalizers, finalizer) }

// inScope keeps the object in a struct of its own.
type inScope struct{ client.Client }

type scope struct {
	client client.Client
	backup *v1.Backup
}

func (s *scope) protect(ctx context.Context) error {
	if controllerutil.AddFinalizer(s.backup, finalizer) {
		return s.client.Update(ctx, s.backup)
	}
	return nil
}

func (s *scope) deleting() bool { return !s.backup.DeletionTimestamp.IsZero() }

func (r *inScope) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	s := &scope{client: r.Client, backup: b}
	if err := s.protect(ctx); err != nil { // want `while another finalizer keeps a deleted Backup, each reconcile fails: new ones are refused.*\(finalizeradd/while-deleting\)`
		return ctrl.Result{}, err
	}
	if s.deleting() {
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// guardedScope asks the scope first.
type guardedScope struct{ client.Client }

func (r *guardedScope) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	s := &scope{client: r.Client, backup: b}
	if s.deleting() {
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, s.protect(ctx)
}
