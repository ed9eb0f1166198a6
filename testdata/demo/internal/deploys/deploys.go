// Package deploys follows the deployments that caches run in, with nothing but
// client-go.
package deploys

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Tracker knows the deployments, pauses and removes them.
type Tracker struct {
	kube     kubernetes.Interface
	informer cache.SharedIndexInformer

	seen   map[types.UID]*appsv1.Deployment
	failed []*appsv1.Deployment
	latest *appsv1.Deployment
}

// New makes a Tracker and registers its handlers.
func New(kube kubernetes.Interface, informer appsinformers.DeploymentInformer) (*Tracker, error) {
	t := &Tracker{kube: kube, informer: informer.Informer(), seen: make(map[types.UID]*appsv1.Deployment)}
	_, err := t.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    t.added,
		UpdateFunc: t.updated,
		DeleteFunc: func(any) { t.latest = nil },
	})
	if err != nil {
		return nil, fmt.Errorf("registering the handlers: %w", err)
	}
	return t, nil
}

func (t *Tracker) added(obj any) {
	deployment, ok := obj.(*appsv1.Deployment)
	if !ok {
		return
	}
	t.seen[deployment.UID] = deployment
	t.latest = deployment
}

func (t *Tracker) updated(_, obj any) {
	if deployment, ok := obj.(*appsv1.Deployment); ok && deployment.Status.UnavailableReplicas > 0 {
		t.failed = append(t.failed, deployment)
	}
}

// Start says at the end how many deployments there were, and how many of them
// failed.
func (t *Tracker) Start(ctx context.Context) error {
	if !cache.WaitForCacheSync(ctx.Done(), t.informer.HasSynced) {
		return errors.New("waiting for the deployments: the context has ended")
	}
	<-ctx.Done()
	klog.InfoS("Deployments", "seen", len(t.seen), "failed", len(t.failed))
	return nil
}

// Latest is the name of the latest deployment.
func (t *Tracker) Latest() string {
	if t.latest == nil {
		return ""
	}
	return t.latest.Name
}

// Pause pauses a deployment, and has the cache know it.
func (t *Tracker) Pause(ctx context.Context, deployment *appsv1.Deployment) error {
	deployment = deployment.DeepCopy()
	deployment.Spec.Paused = true
	paused, err := t.kube.AppsV1().Deployments(deployment.Namespace).Update(ctx, deployment, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("pausing %s: %w", deployment.Name, err)
	}
	return t.informer.GetStore().Update(paused)
}

// Remove deletes a deployment, and has the cache forget it.
func (t *Tracker) Remove(ctx context.Context, deployment *appsv1.Deployment) error {
	err := t.kube.AppsV1().Deployments(deployment.Namespace).Delete(ctx, deployment.Name, metav1.DeleteOptions{})
	if err != nil {
		return fmt.Errorf("deleting %s: %w", deployment.Name, err)
	}
	return t.informer.GetStore().Delete(deployment)
}

// Reload reads all deployments anew and looks at each of them.
func (t *Tracker) Reload(ctx context.Context) error {
	list, err := t.kube.AppsV1().Deployments(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing deployments: %w", err)
	}
	all := make([]any, len(list.Items))
	for i := range list.Items {
		all[i] = &list.Items[i]
	}
	return t.informer.GetIndexer().Replace(all, list.ResourceVersion)
}
