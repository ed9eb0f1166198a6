// Package guards starts informers and adds handlers in what is called again and
// again, and does so once all the same, or hardly ever.
package guards

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// registry looks up in a map, and the constructor that it calls notes what it
// has made there.
type registry struct {
	client.Client
	lw       cache.ListerWatcher
	stop     <-chan struct{}
	watchers map[string]*watcher
}

type watcher struct{ informer cache.SharedIndexInformer }

func (r *registry) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if _, ok := r.watchers[req.Name]; !ok {
		newWatcher(r, req.Name)
	}
	if r.lookUp(req.Namespace) == nil {
		return ctrl.Result{}, r.add(req.Namespace)
	}
	return ctrl.Result{}, nil
}

func newWatcher(r *registry, name string) *watcher {
	w := &watcher{informer: cache.NewSharedIndexInformer(r.lw, &corev1.Pod{}, 0, nil)}
	go w.informer.Run(r.stop)
	r.watchers[name] = w
	return w
}

func (r *registry) lookUp(name string) *watcher { return r.watchers[name] }

func (r *registry) add(name string) error {
	factory := informers.NewSharedInformerFactory(nil, 0)
	informer := factory.Core().V1().Pods().Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
		return err
	}
	factory.Start(r.stop)
	r.watchers[name] = &watcher{informer: informer}
	return nil
}

// constructors are called once each, by what sets the process up.
var constructors = map[string]func(kubernetes.Interface) error{"pods": startPods, "nodes": startNodes}

func startAll(client kubernetes.Interface) error {
	for _, start := range constructors {
		if err := start(client); err != nil {
			return err
		}
	}
	return nil
}

func startPods(client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(wait.NeverStop)
	return nil
}

func startNodes(client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Nodes().Informer()
	factory.Start(wait.NeverStop)
	return nil
}

// called is none of them.
func called(client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Nodes().Informer()
	factory.Start(wait.NeverStop) // want `each call of called leaks a watch`
	return nil
}

// fixture is made by tests only.
type fixture struct{ informer cache.SharedIndexInformer }

func (f *fixture) Begin() { go f.informer.Run(wait.NeverStop) }

func (f *fixture) Stop() {}

// made is made here, and its Stop does not stop.
type made struct{ informer cache.SharedIndexInformer }

func newMade(informer cache.SharedIndexInformer) *made { return &made{informer: informer} }

func (m *made) Begin() {
	go m.informer.Run(wait.NeverStop) // want `made\.Stop leaks a watch and a cache`
}

func (m *made) Stop() {}

// rare adds a handler where something has failed, or while a phase lasts that
// it ends itself.
type rare struct {
	client.Client
	informer cache.SharedIndexInformer
	handler  cache.ResourceEventHandlerFuncs
}

func (r *rare) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		r.informer.AddEventHandler(r.handler)
		return ctrl.Result{}, err
	}
	if b.Status.Phase == "" {
		r.informer.AddEventHandler(r.handler)
		b.Status.Phase = v1.BackupFailed
		return ctrl.Result{}, r.Status().Update(ctx, b)
	}
	if err := r.check(b); err == nil {
		r.informer.AddEventHandler(r.handler) // want `every event is handled once more after each reconcile`
	}
	if b.Spec.Paused {
		r.informer.AddEventHandler(r.handler) // want `every event is handled once more after each reconcile`
	}
	return ctrl.Result{}, nil
}

func (r *rare) check(*v1.Backup) error { return nil }

func newRare() *rare { return new(rare) }

func newRegistry() *registry { return new(registry) }
