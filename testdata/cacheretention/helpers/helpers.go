// Package helpers keeps cached objects by way of other functions and packages.
package helpers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cacheretention/helpers/lib"
)

type controller struct {
	pods     corelisters.PodLister
	registry *lib.Registry
	tidy     *lib.Tidy
	seen     map[string]*corev1.Pod
	done     map[string]*corev1.Pod
}

// Mistakes.

func (c *controller) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod, err := c.pods.Pods(req.Namespace).Get(req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	c.remember(pod)
	c.registry.Register(pod) // want `^leak: memory leak: r\.pods \(lib\.go:\d+\) keeps each object of c\.pods\.Get \(line \d+\), and nothing in the package takes it out.*cacheretention/never-deleted`
	return ctrl.Result{}, nil
}

func (c *controller) remember(pod *corev1.Pod) {
	c.seen[pod.Name] = pod // want `^leak: memory leak: c\.seen keeps each object of c\.pods\.Get \(line \d+\), and nothing in the package takes it out.*cacheretention/never-deleted`
}

func (c *controller) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			lib.Know("last", obj) // want `^leak: memory leak: known \(lib\.go:\d+\) keeps obj of AddFunc, and nothing in the package takes it out.*cacheretention/never-deleted`
		},
		UpdateFunc: func(_, obj any) {
			pod := obj.(*corev1.Pod)
			c.tidy.Register(pod) // right: Forget lets go of it
			c.finish(pod)
		},
	})
}

// Right.

func (c *controller) finish(pod *corev1.Pod) {
	c.done[pod.Name] = pod
	trim(c.done)
}

func trim(pods map[string]*corev1.Pod) {
	for name := range pods {
		if len(pods) < 100 {
			return
		}
		delete(pods, name)
	}
}

// A registry for each call.
type other struct{ pods corelisters.PodLister }

func (o *other) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	registry := lib.NewRegistry()
	pods, err := o.pods.Pods(req.Namespace).List(nil)
	for _, pod := range pods {
		registry.Register(pod)
	}
	_ = registry.Names()
	return ctrl.Result{}, err
}
