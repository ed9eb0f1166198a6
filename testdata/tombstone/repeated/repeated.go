// Package repeated does with deleted objects what it does with updated ones.
package repeated

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	queue workqueue.TypedRateLimitingInterface[string]
	mode  string
	known map[string]bool
}

// Mistakes: a deletion is more than the last update.

// owner wakes another object for each job.
func (c *controller) owner(obj any) {
	job, ok := obj.(*batchv1.Job) // want `^hygiene: a missed deletion is lost`
	if !ok {
		return
	}
	c.queue.Add(job.Labels["owner"])
}

func (c *controller) watchOwners(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.owner,
		UpdateFunc: func(_, obj any) { c.owner(obj) },
		DeleteFunc: c.owner,
	})
}

// forget is not called for updates.
func (c *controller) forget(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `^loss: a missed deletion is lost`
	if !ok {
		return
	}
	if pod.Spec.NodeName != "" {
		delete(c.known, pod.Name)
	}
}

func (c *controller) watchPods(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) { c.complete(obj) },
		DeleteFunc: c.forget,
	})
}

// certain is about one object, whatever it holds.
func (c *controller) certain(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^hygiene: a missed deletion is lost`
	if !ok || config.Name != c.mode {
		return
	}
	c.queue.Add("restart")
}

func (c *controller) watchOne(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) { c.certain(obj) },
		DeleteFunc: c.certain,
	})
}

// Traps: hygiene at most.

// complete tells the owner of a job that is done: so it did when the job got done.
func (c *controller) complete(obj any) {
	job, ok := obj.(*batchv1.Job) // want `^hygiene: a missed deletion is lost`
	if !ok {
		return
	}
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobComplete {
			c.queue.Add(job.Labels["owner"])
			return
		}
	}
}

func (c *controller) watchJobs(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.complete(obj) },
		UpdateFunc: func(_, obj any) { c.complete(obj) },
		DeleteFunc: func(obj any) { c.complete(obj) },
	})
}

// changed restarts for another mode than the last one.
func (c *controller) changed(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^hygiene: a missed deletion is lost`
	if !ok || config.Data["mode"] == c.mode {
		return
	}
	c.mode = config.Data["mode"]
	c.queue.Add("restart")
}

func (c *controller) watchConfig(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.changed,
		UpdateFunc: func(_, obj any) { c.changed(obj) },
		DeleteFunc: c.changed,
	})
}
