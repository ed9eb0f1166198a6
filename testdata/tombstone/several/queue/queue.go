// Package queue has a workqueue with who works it off.
package queue

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
)

// Queue has keys of objects, for a function.
type Queue struct {
	queue workqueue.TypedRateLimitingInterface[types.NamespacedName]
	sync  func(types.NamespacedName) error
}

// New returns a queue.
func New(sync func(types.NamespacedName) error) *Queue {
	return &Queue{workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[types.NamespacedName]()), sync}
}

// Add puts a key on it.
func (q *Queue) Add(key types.NamespacedName) { q.queue.AddRateLimited(key) }

// Run works it off.
func (q *Queue) Run() {
	for {
		key, quit := q.queue.Get()
		if quit {
			return
		}
		if err := q.sync(key); err != nil {
			q.queue.AddRateLimited(key)
		} else {
			q.queue.Forget(key)
		}
		q.queue.Done(key)
	}
}
