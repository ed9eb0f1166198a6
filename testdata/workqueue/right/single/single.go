// Package single watches one object, which it knows by its name.
package single

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type filter struct {
	predicate.Funcs
	name string
}

func (f *filter) Create(e event.CreateEvent) bool { return e.Object.GetName() == f.name }

func (f *filter) Update(e event.UpdateEvent) bool { return e.ObjectOld.GetName() == f.name }

func (f *filter) Delete(event.DeleteEvent) bool { return false }

// enqueue adds rate limited, a few times in the life of the process.
func enqueue() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			request := reconcile.Request{}
			request.Name = e.Object.GetName()
			q.AddRateLimited(request)
		},
	}
}
