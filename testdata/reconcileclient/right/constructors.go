package right

import (
	"context"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Constructors in a map: what sets the program up calls each of them once.

type startContext struct {
	config *rest.Config
	stop   <-chan struct{}
}

type startFunc func(ctx context.Context, start startContext) (bool, error)

var starters = map[string]startFunc{
	"nodes": startNodes,
	"pods":  startPods,
}

func startNodes(ctx context.Context, start startContext) (bool, error) {
	kube, err := kubernetes.NewForConfig(start.config)
	if err != nil {
		return false, err
	}
	factory := informers.NewSharedInformerFactory(kube, time.Minute)
	factory.Start(start.stop)
	return true, nil
}

func startPods(ctx context.Context, start startContext) (bool, error) {
	_, err := kubernetes.NewForConfig(start.config)
	return err == nil, err
}

// startAll is what main calls when it leads.
func startAll(ctx context.Context, start startContext) error {
	for _, begin := range starters {
		if _, err := begin(ctx, start); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

type initializer func(ctrl.Manager) error

func initializers() map[string]initializer {
	all := map[string]initializer{}
	all["copies"] = setUpCopies
	all["webhook"] = func(mgr ctrl.Manager) error {
		_, err := kubernetes.NewForConfig(mgr.GetConfig())
		return err
	}
	return all
}

func setUpCopies(mgr ctrl.Manager) error {
	kube, err := kubernetes.NewForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Complete(&copies{Client: mgr.GetClient(), kube: kube})
}

func setUpAll(mgr manager.Manager) error {
	for _, init := range initializers() {
		if err := init(mgr); err != nil {
			return err
		}
	}
	return nil
}

type copies struct {
	client.Client
	kube kubernetes.Interface
}

func (c *copies) Reconcile(context.Context, ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, nil
}

// sources makes what feeds the queue, by name, and waits until it is there.
type sources struct {
	config *rest.Config
	make   map[string]func(*rest.Config) (cache.Store, error)
	made   map[string]cache.Store
}

func newSources(config *rest.Config) *sources {
	return &sources{config: config, made: map[string]cache.Store{}, make: map[string]func(*rest.Config) (cache.Store, error){
		"pods": podSource,
	}}
}

func podSource(config *rest.Config) (cache.Store, error) {
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return informers.NewSharedInformerFactory(kube, 0).Core().V1().Pods().Informer().GetStore(), nil
}

func (s *sources) Start(ctx context.Context) error {
	for name, build := range s.make {
		err := wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
			store, err := build(s.config)
			s.made[name] = store
			return err == nil, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A type that nothing makes but tests is a helper of theirs.
type fakeReconciler struct{ config *rest.Config }

func (f *fakeReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if _, err := http.Get("http://localhost"); err != nil {
		return ctrl.Result{}, err
	}
	_, err := kubernetes.NewForConfig(f.config)
	return ctrl.Result{}, err
}
