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
	if !cache.WaitForCacheSync(ctx.Done(), r.informer.HasSynced) { // want `if a kind cannot be listed, the worker is stuck until ctx\.Done\(\) ends: cache\.WaitForCacheSync has no time limit.*\(cachesync/in-reconcile\)`
		return ctrl.Result{}, ctx.Err()
	}
	r.deeper()
	return ctrl.Result{}, nil
}

func (r *reconciler) deeper() {
	cache.WaitForCacheSync(r.stop, r.informer.HasSynced) // want `if a kind cannot be listed, the worker is stuck until r\.stop ends: cache\.WaitForCacheSync has no time limit.*\(cachesync/in-reconcile\)`
}

func (r *reconciler) watch() {
	_, _ = r.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			cache.WaitForCacheSync(wait.NeverStop, r.informer.HasSynced) // want `^hygiene: .*the handler's events are stuck until the process ends`
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
	cache.WaitForCacheSync(r.stop, factory.Core().V1().Pods().Informer().HasSynced) // want `cache\.WaitForCacheSync waits until r\.stop ends: nothing starts the informer made on line \d+, so HasSynced stays false.*\(cachesync/not-started\)`
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
	return len(factory.WaitForCacheSync(stopCh)) // want `all listers of this factory stay empty: nothing starts it, and factory\.WaitForCacheSync returns at once.*\(cachesync/not-started\)`
}

// It runs when the wait is over.
func runsLater(ctx context.Context, informer cache.SharedIndexInformer) {
	registration, _ := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) { // want `cache\.WaitForCacheSync waits in vain: the informer runs only from line \d+ on, after the wait.*\(cachesync/not-started\)`
		return
	}
	informer.Run(ctx.Done())
}

type middleware struct{ synced []cache.InformerSynced }

func (m *middleware) Wrap(next http.Handler) http.Handler {
	if !cache.WaitForCacheSync(wait.NeverStop, m.synced...) { // want `if a kind cannot be listed, Wrap never returns: nothing ends cache\.WaitForCacheSync.*\(cachesync/endless\)`
		return nil
	}
	return next
}

func (m *middleware) background() bool {
	return cache.WaitForCacheSync(context.Background().Done(), m.synced...) // want `if a kind cannot be listed, background never returns: nothing ends cache\.WaitForCacheSync.*\(cachesync/endless\)`
}
