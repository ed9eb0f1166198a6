package crosspkg

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/handlergoroutine/crosspkg/lib"
)

// session has a pump of its own, and ends it.
type session struct{ pump *lib.Pump }

func newSession() *session { return &session{&lib.Pump{}} }

func (s *session) run(stop <-chan struct{}) {
	s.pump.Start()
	go func() {
		<-stop
		s.pump.Stop()
	}()
}

type sessions struct{ running map[string]chan struct{} }

func (r *sessions) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.end(req.Name)
	return ctrl.Result{}, r.begin(req.Name)
}

func (r *sessions) end(name string) {
	if stop, ok := r.running[name]; ok {
		close(stop)
		delete(r.running, name)
	}
}

func (r *sessions) begin(name string) error {
	stop := make(chan struct{})
	newSession().run(stop)
	r.running[name] = stop
	return nil
}

// leaky has a pump that nobody stops.
type leaky struct{ pump *lib.Pump }

func (l *leaky) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	l.pump.Start() // want `Start \(from Reconcile\) starts a goroutine \(lib/lib.go:\d+\) that never ends.*handlergoroutine/endless`
	return ctrl.Result{}, nil
}
