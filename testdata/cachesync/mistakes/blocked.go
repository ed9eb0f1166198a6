package mistakes

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

type reconciler struct {
	informer cache.SharedIndexInformer
	client   kubernetes.Interface
	stop     chan struct{}
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !cache.WaitForCacheSync(ctx.Done(), r.informer.HasSynced) { // want `cache.WaitForCacheSync waits without a limit in reconciler Reconcile: where the kind is not served, or may not be listed, the worker and its key are stuck until ctx.Done\(\) ends; wait with a timeout, or before anything is handled`
		return ctrl.Result{}, ctx.Err()
	}
	r.deeper()
	return ctrl.Result{}, nil
}

func (r *reconciler) deeper() {
	cache.WaitForCacheSync(r.stop, r.informer.HasSynced) // want `waits without a limit, reached by Reconcile \(.*\) → deeper`
}

func (r *reconciler) watch() {
	_, _ = r.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			cache.WaitForCacheSync(wait.NeverStop, r.informer.HasSynced) // want `the informer's events are stuck until the process ends`
		},
	})
}

func (r *reconciler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if cache.WaitForCacheSync(r.stop, r.informer.HasSynced) { // want `the request is stuck until r.stop ends`
		w.WriteHeader(http.StatusOK)
	}
}

// Nothing starts the factory.
func (r *reconciler) get(name string) (*corev1.Pod, error) {
	factory := informers.NewSharedInformerFactory(r.client, 0)
	cache.WaitForCacheSync(r.stop, factory.Core().V1().Pods().Informer().HasSynced) // want `cache.WaitForCacheSync waits until r.stop ends: nothing starts the informer that is made here on line \d+, so that its HasSynced never becomes true; start it first`
	return factory.Core().V1().Pods().Lister().Pods("ours").Get(name)
}

func neverRun(stopCh <-chan struct{}, pods cache.Getter) {
	lw := cache.NewListWatchFromClient(pods, "pods", metav1.NamespaceAll, fields.Everything())
	informer := cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, cache.Indexers{})
	if !cache.WaitForCacheSync(stopCh, informer.HasSynced) { // want `nothing starts the informer`
		return
	}
}

func neverStarted(stopCh <-chan struct{}, client kubernetes.Interface) int {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	return len(factory.WaitForCacheSync(stopCh)) // want `factory.WaitForCacheSync returns at once, since it waits for informers that run, and nothing starts those of this factory: all its listers stay empty; call Start before it`
}

// It runs when the wait is over.
func runsLater(ctx context.Context, informer cache.SharedIndexInformer) {
	registration, _ := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) { // want `cache.WaitForCacheSync waits in vain: the informer does not run before line \d+, which comes after the wait; let it run in a goroutine before`
		return
	}
	informer.Run(ctx.Done())
}

type middleware struct{ synced []cache.InformerSynced }

func (m *middleware) Wrap(next http.Handler) http.Handler {
	if !cache.WaitForCacheSync(wait.NeverStop, m.synced...) { // want `cache.WaitForCacheSync can neither fail nor be stopped: where a kind is not served, or may not be listed, Wrap never returns, and the process cannot shut down; wait until the context or stop channel ends that the informers run with, or with a timeout`
		return nil
	}
	return next
}

func (m *middleware) background() bool {
	return cache.WaitForCacheSync(context.Background().Done(), m.synced...) // want `can neither fail nor be stopped`
}
