// Package slices appends cached objects to slices.
package slices

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

type history struct {
	pods   corelisters.PodLister
	events []*corev1.Event
	all    []*corev1.Pod
}

// A history that nobody cuts.
func (h *history) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			h.events = append(h.events, obj.(*corev1.Event)) // want `^leak: memory leak: h\.events gets obj of AddFunc, and nothing in the package cuts it.*cacheretention/growing-slice`
		},
	})
}

func (h *history) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	pods, err := h.pods.Pods(req.Namespace).List(nil)
	if err != nil {
		return ctrl.Result{}, err
	}
	h.all = append(h.all, pods...) // want `^leak: memory leak: h\.all gets each object of h\.pods\.List \(line \d+\), and nothing in the package cuts it.*cacheretention/growing-slice`
	return ctrl.Result{}, nil
}

// Right.

type batch struct {
	pending []*corev1.Pod
	recent  []*corev1.Pod
	ring    [16]*corev1.Pod
	slots   []*corev1.Pod
	next    int
}

func (b *batch) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			b.pending = append(b.pending, pod)
			b.recent = append(b.recent, pod)
			if len(b.recent) > 10 {
				b.recent = b.recent[1:]
			}
			b.ring[b.next%len(b.ring)] = pod
			b.slots[b.next%len(b.slots)] = pod
			b.next++
		},
	})
}

func (b *batch) flush() []*corev1.Pod {
	pending := b.pending
	b.pending = nil
	return pending
}

// A slice of one reconcile.
type plan struct{ pods []*corev1.Pod }

func (p *plan) add(pod *corev1.Pod) { p.pods = append(p.pods, pod) }

type planner struct{ pods corelisters.PodLister }

func (r *planner) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var p plan
	q := &plan{}
	pods, err := r.pods.Pods(req.Namespace).List(nil)
	for _, pod := range pods {
		p.add(pod)
		q.pods = append(q.pods, pod)
	}
	return ctrl.Result{}, err
}
