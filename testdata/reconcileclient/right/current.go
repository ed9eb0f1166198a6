package right

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

// running is what has been started for an object.
type running struct {
	generation int64
	cancel     context.CancelFunc
}

// runs is a store of the operator's own.
type runs struct{ byKey map[string]running }

func (r *runs) Get(key string) (running, bool) { run, ok := r.byKey[key]; return run, ok }

func (r *runs) Set(key string, run running) { r.byKey[key] = run }

// Syncing makes informers for each object, and again where that has changed.
type Syncing struct {
	Config *rest.Config
	Kube   kubernetes.Interface
	runs   *runs
}

func (s *Syncing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := s.one(req.String(), int64(len(req.Name))); err != nil {
		return ctrl.Result{}, err
	}
	for _, key := range []string{req.Namespace, req.Name} {
		if run, found := s.runs.Get(key); found {
			if run.generation == 1 {
				continue
			}
			run.cancel()
		}
		s.start(key)
	}
	return ctrl.Result{}, nil
}

func (s *Syncing) one(key string, generation int64) error {
	run, found := s.runs.Get(key)
	if found {
		if run.generation == generation {
			return nil
		}
		run.cancel()
	}
	kube, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	informers.NewSharedInformerFactory(kube, 0).Start(ctx.Done())
	s.runs.Set(key, running{generation, cancel})
	return nil
}

func (s *Syncing) start(key string) {
	ctx, cancel := context.WithCancel(context.Background())
	informers.NewSharedInformerFactory(s.Kube, 0).Start(ctx.Done())
	s.runs.Set(key, running{1, cancel})
}
