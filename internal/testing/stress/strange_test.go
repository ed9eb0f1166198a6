package stress

import "testing"

// generic has the forms of generics that refer to themselves or to each other,
// in code that uses clients.
const generic = `
import (
	"context"
	"iter"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Types.

type List[T any] struct {
	next *List[T]
	item T
}

type Tree[K comparable, N Node[K, N]] struct{ root N }

type Node[K comparable, N any] interface {
	Key() K
	Children() iter.Seq[N]
}

type Ordered[T any] interface{ Less(T) bool }

type Self[T Self[T]] interface{ Same(T) T }

type Left[T any] struct{ right *Right[T] }
type Right[T any] struct{ left *Left[T] }

type Set[T comparable] = map[T]struct{}
type Pods[K comparable] = map[K]*corev1.Pod

type Object[T any] interface {
	*T
	client.Object
}

// Functions that call each other with other type arguments, of which there are
// finitely many.

func ping[T any](n int, x T) int {
	if n == 0 {
		return 0
	}
	return pong[*corev1.Pod](n-1, nil) + pong[T](n-1, x)
}

func pong[T any](n int, x T) int {
	if n == 0 {
		return 0
	}
	return ping[string](n-1, "") + ping[T](n-1, x)
}

// Generic receivers of objects.

type Reconciler[T any, P Object[T]] struct {
	client.Client
	cache Set[client.ObjectKey]
	hooks []func(context.Context, P) error
}

func (r *Reconciler[T, P]) Reconcile(ctx context.Context, key client.ObjectKey) error {
	obj := P(new(T))
	if err := r.Get(ctx, key, obj); err != nil {
		return client.IgnoreNotFound(err)
	}
	for hook := range r.all() {
		if err := hook(ctx, obj); err != nil {
			return err
		}
	}
	obj.SetFinalizers(append(obj.GetFinalizers(), "example.com/x"))
	return r.save(ctx, obj, 3)
}

func (r *Reconciler[T, P]) save(ctx context.Context, obj P, n int) error {
	if err := r.Update(ctx, obj); err != nil && n > 0 {
		return r.again(ctx, obj, n)
	}
	return nil
}

func (r *Reconciler[T, P]) again(ctx context.Context, obj P, n int) error { return r.save(ctx, obj, n-1) }

func (r *Reconciler[T, P]) all() iter.Seq[func(context.Context, P) error] {
	return func(yield func(func(context.Context, P) error) bool) {
		for _, hook := range r.hooks {
			if !yield(hook) {
				return
			}
		}
	}
}

var (
	_ = (*Reconciler[corev1.Pod, *corev1.Pod]).Reconcile
	_ = (&Reconciler[corev1.Node, *corev1.Node]{}).save
)

// Ranges over functions, with all ways out, within each other.

func (l *List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, at := 0, l; at != nil; i, at = i+1, at.next {
			if !yield(i, at.item) {
				return
			}
		}
	}
}

func update(ctx context.Context, c client.Client, pods *List[*corev1.Pod], byName Pods[string]) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = c.Status().Update(ctx, byName["x"])
		}
	}()
outer:
	for i, pod := range pods.All() {
		defer func() { pod.Labels["i"] = "x" }()
		for name := range maps.Keys(byName) {
			switch {
			case name == pod.Name:
				continue outer
			case i > 10:
				break outer
			case i > 5:
				return c.Update(ctx, pod)
			}
			pod.Status.Message = name
			go func() { _ = c.Delete(ctx, pod) }()
		}
		if err := c.Status().Update(ctx, pod); err != nil {
			return err
		}
	}
	for range 3 {
		for x := range maps.Values(byName) {
			for i := range x.Spec.Containers {
				_ = i
			}
		}
	}
	goto end
end:
	return nil
}

func depth[T Ordered[T]](t T, rest ...T) (best T) {
	for _, r := range rest {
		if r.Less(best) {
			best = depth(r, rest[1:]...)
		}
	}
	return
}

type number int

func (n number) Less(m number) bool   { return n < m }
func (n number) Same(m number) number { return m }

func same[T Self[T]](t T) T { return t.Same(t) }

var _, _, _ = depth(number(1)), same(number(2)), ping(3, update)

func recursive() {
	var f func(int) func() int
	f = func(n int) func() int {
		return func() int { return f(n - 1)() }
	}
	_ = f(3)
	type local[T any] struct{ *local[T] }
	var _ local[local[int]]
}
`

// olderLoop is for a version in which the goroutines of a loop share its
// variable.
const olderLoop = `//go:build go1.18

package older

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func deleteAll(ctx context.Context, c client.Client, list *corev1.PodList) {
	for i, pod := range list.Items {
		go func() {
			_ = c.Delete(ctx, &pod)
			_ = c.Update(ctx, &list.Items[i])
		}()
	}
}
`

// TestStrange runs the suite over code that is unlike what people write.
func TestStrange(t *testing.T) {
	analyse(t, module(t, map[string]string{"generic": generic, "older": olderLoop}))
}
