// Package calls builds clients for each request of what is always the same.
package calls

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var shared *rest.Config

// clusterContext is what an operator hands around.
type clusterContext struct {
	Config *rest.Config
	Kube   kubernetes.Interface
}

type Reconciler struct {
	client.Client
	Config *rest.Config
	Mgr    manager.Manager
	ctx    *clusterContext
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	kube, err := kubernetes.NewForConfig(r.Config) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own; build it once, at start \(reconcileclient/client\)`
	if err != nil {
		return ctrl.Result{}, err
	}
	_ = kube
	// A part of what is handed around.
	_, _ = typedcorev1.NewForConfig(r.ctx.Config) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
	// The manager's.
	_ = dynamic.NewForConfigOrDie(r.Mgr.GetConfig()) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
	// A variable.
	_, _ = metadata.NewForConfig(shared) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
	r.inCluster()
	r.copied(req)
	r.after()
	return ctrl.Result{}, nil
}

// By a helper, with the configuration of the Pod.
func (r *Reconciler) inCluster() {
	config, err := rest.InClusterConfig()
	if err != nil {
		return
	}
	_, _ = discovery.NewDiscoveryClientForConfig(config)       // want `QPS and Burst limit nothing: each Reconcile makes a discovery client with a rate limiter of its own.*reconcileclient/client`
	_, _ = client.New(ctrl.GetConfigOrDie(), client.Options{}) // want `each Reconcile asks the API server for all its resources: it makes a client.*reconcileclient/client`
}

// A copy that is tuned is still the same each time.
func (r *Reconciler) copied(req ctrl.Request) {
	config := rest.CopyConfig(r.Config)
	config.QPS = 100
	_, _ = kubernetes.NewForConfig(config) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
	own := *r.Config
	own.UserAgent = "calls"
	_, _ = kubernetes.NewForConfig(&own) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
}

// A question before it is about something else.
func (r *Reconciler) after() {
	if r.ctx.Kube == nil {
		r.ctx.Kube = nil
	}
	_, _ = kubernetes.NewForConfig(r.Config) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
}

// In a handler of events.
func (r *Reconciler) handlers(path string) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			config, err := clientcmd.BuildConfigFromFlags("", path)
			if err != nil {
				return
			}
			_, _ = kubernetes.NewForConfig(config) // want `QPS and Burst limit nothing: each AddFunc makes a client with a rate limiter of its own.*reconcileclient/client`
		},
	}
}

// In a webhook.
type validator struct{ config *rest.Config }

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	if _, err := rest.HTTPClientFor(v.config); err != nil { // want `each Handle connects anew: it makes an HTTP client.*reconcileclient/client`
		return admission.Denied(err.Error())
	}
	_, _ = apiutil.NewDynamicRESTMapper(v.config, nil) // want `each Handle asks the API server for all its resources: it makes a RESTMapper.*reconcileclient/client`
	return admission.Allowed("")
}

// In the worker of a queue, with connections that cannot be shared.
type controller struct {
	queue  workqueue.TypedRateLimitingInterface[string]
	config *rest.Config
}

func (c *controller) worker() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		c.sync(key)
		c.queue.Done(key)
	}
}

func (c *controller) sync(key string) {
	config := rest.CopyConfig(c.config)
	config.Proxy = http.ProxyFromEnvironment
	_, _ = kubernetes.NewForConfig(config) // want `each workqueue worker worker leaves connections behind: it makes a client whose dialer or proxy keeps them from being shared.*reconcileclient/client`
}

// Factories, caches and managers.
type watcher struct {
	kube   kubernetes.Interface
	config *rest.Config
}

func (w *watcher) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	idle := informers.NewSharedInformerFactory(w.kube, time.Minute) // lists nothing: nobody starts it
	if _, err := idle.Core().V1().Pods().Lister().Pods(req.Namespace).Get(req.Name); err != nil {
		return reconcile.Result{}, w.run(ctx)
	}
	return reconcile.Result{}, nil
}

func (w *watcher) run(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(w.kube, time.Minute) // want `each Reconcile lists and caches all objects again: it makes an informer factory; build it once, at start \(reconcileclient/factory\)`
	factory.Start(ctx.Done())
	pods, err := runtimecache.New(w.config, runtimecache.Options{}) // want `each Reconcile lists and caches all objects again: it makes a cache.*reconcileclient/factory`
	if err != nil {
		return err
	}
	if _, err := pods.GetInformer(ctx, &corev1.Pod{}); err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(w.config, ctrl.Options{}) // want `each Reconcile lists and caches all objects again: it makes a manager.*reconcileclient/factory`
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// If the object says so, but each time then.
type optional struct{ config *rest.Config }

func (o *optional) ReconcilePod(ctx context.Context, pod *corev1.Pod) error {
	if pod.Spec.HostNetwork {
		_, err := kubernetes.NewForConfig(o.config) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
		return err
	}
	return nil
}

func (o *optional) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, o.ReconcilePod(ctx, &corev1.Pod{})
}

// rare builds what it needs after a failure, and when an object goes.
type rare struct {
	client.Client
	config *rest.Config
}

func (r *rare) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pod corev1.Pod
	if err := r.Get(ctx, req.NamespacedName, &pod); err != nil {
		_, _ = kubernetes.NewForConfig(r.config) // want `hygiene: .*reconcileclient/client`
		return ctrl.Result{}, err
	}
	if !pod.DeletionTimestamp.IsZero() {
		_, _ = kubernetes.NewForConfig(r.config) // want `hygiene: .*reconcileclient/client`
		if err := r.both(); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, r.cleanUp()
	}
	if err := r.both(); err != nil {
		return ctrl.Result{}, err
	}
	_, err := kubernetes.NewForConfig(r.config) // want `hygiene: .*reconcileclient/client`
	return ctrl.Result{}, err
}

// both runs for objects that stay as well as for those that go.
func (r *rare) both() error {
	_, err := kubernetes.NewForConfig(r.config) // want `hygiene: .*reconcileclient/client`
	return err
}

func (r *rare) cleanUp() error {
	_, err := runtimecache.New(r.config, runtimecache.Options{}) // want `hygiene: .*reconcileclient/factory`
	return err
}

// all is what main makes.
func all(config *rest.Config) []any {
	return []any{&validator{config: config}, &controller{}, &watcher{config: config}, &optional{config: config}, &rare{config: config}}
}
