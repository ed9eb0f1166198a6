// Package paths has objects that are copied on some paths only.
package paths

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/util/retry"
)

type controller struct {
	client      kubernetes.Interface
	nodes       corelisters.NodeLister
	deployments appslisters.DeploymentLister
}

// Mistakes.

func (c *controller) defaultBranch(ctx context.Context, name string, create, update bool) {
	current, err := c.deployments.Deployments("ns").Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return
	}
	var deployment *appsv1.Deployment
	switch {
	case create:
		deployment, err = c.client.AppsV1().Deployments("ns").Create(ctx, deployment, metav1.CreateOptions{})
	case update:
		deployment, err = c.client.AppsV1().Deployments("ns").Update(ctx, current.DeepCopy(), metav1.UpdateOptions{})
	default:
		deployment = current
	}
	if err != nil {
		return
	}
	deployment.Kind = "Deployment" // want `^hygiene: deployment\.Kind is set in the informer cache's own object \(c\.deployments\.Get, line \d+\).*cachemutation/lister-object`
	deployment.APIVersion = "apps/v1"
}

func (c *controller) readAgain(name string) {
	cached, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	node := cached.DeepCopy()
	node.Spec.PodCIDR = "a"
	if node, err = c.nodes.Get(node.Name); err != nil {
		return
	}
	node.Spec.PodCIDR = "b" // want `^loss: readers get unsaved changes: node\.Spec\.PodCIDR belongs to the informer cache \(c\.nodes\.Get, line \d+\).*cachemutation/lister-object`
}

func (c *controller) copiedOnOneBranch(name string, change bool) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	if change {
		node = node.DeepCopy()
	}
	node.Spec.PodCIDR = "" // want `cachemutation/lister-object`
}

func (c *controller) copiedTooLate(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	node.Spec.PodCIDR = "" // want `cachemutation/lister-object`
	node = node.DeepCopy()
	node.Spec.ProviderID = ""
}

func (c *controller) capturedAndReadAgain(name string) {
	var node *corev1.Node
	_ = retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
		node, err = c.nodes.Get(name)
		return err
	})
	node.Spec.PodCIDR = "" // want `cachemutation/lister-object`
}

func (c *controller) mixedList(ctx context.Context) {
	nodes, _ := c.nodes.List(labels.Everything())
	var all []*corev1.Node
	all = append(all, &corev1.Node{})
	all = append(all, nodes...)
	for _, node := range all {
		node.Spec.PodCIDR = "" // want `^loss: readers get unsaved changes: node\.Spec\.PodCIDR belongs to the informer cache \(c\.nodes\.List, line \d+\).*cachemutation/lister-object`
	}
}

// Right.

func (c *controller) copiedAndWrittenOnOneBranch(name string, change bool) *corev1.Node {
	node, err := c.nodes.Get(name)
	if err != nil {
		return nil
	}
	if change {
		node = node.DeepCopy()
		node.Spec.PodCIDR = ""
	}
	return node
}

func (c *controller) lazyCopy(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	copied := false
	for i := range node.Spec.Taints {
		if !copied {
			node = node.DeepCopy()
			copied = true
		}
		node.Spec.Taints[i].Key = ""
	}
}

func (c *controller) lazyCopyInVariable(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	var changed *corev1.Node
	for i := range node.Spec.Taints {
		if changed == nil {
			changed = node.DeepCopy()
		}
		changed.Spec.Taints[i].Key = ""
	}
}

func (c *controller) guardedTwice(name string, change bool) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	if change {
		node = node.DeepCopy()
	}
	if change {
		node.Spec.PodCIDR = ""
	}
}

func (c *controller) eitherNewOrCopy(name string) {
	node, err := c.nodes.Get(name)
	if apierrors.IsNotFound(err) {
		node = &corev1.Node{}
	} else {
		node = node.DeepCopy()
	}
	node.Spec.PodCIDR = ""
}

func (c *controller) newIfMissing(name string) {
	node, err := c.nodes.Get(name)
	missing := apierrors.IsNotFound(err)
	if missing {
		node = &corev1.Node{}
	}
	if missing {
		node.Spec.PodCIDR = ""
	}
}

func (c *controller) variableReused(ctx context.Context, name string) {
	var node *corev1.Node
	nodes, _ := c.nodes.List(labels.Everything())
	for _, node = range nodes {
		_ = node.Name
	}
	node, err := c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		node.Spec.PodCIDR = ""
	}
}

func (c *controller) capturedAndCopied(name string) {
	var node *corev1.Node
	_ = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		cached, err := c.nodes.Get(name)
		if err != nil {
			return err
		}
		node = cached
		node = node.DeepCopy()
		node.Spec.PodCIDR = ""
		return nil
	})
	if node != nil {
		node.Spec.ProviderID = ""
	}
}

// The phase decides twice: it is copied wherever it is changed.
func (c *controller) copiedInThatPhase(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	phase := node.Status.Phase
	if phase == corev1.NodePending {
		node = node.DeepCopy()
	}
	if phase == corev1.NodePending {
		node.Spec.PodCIDR = ""
	}
}

// Two questions that contradict each other.
func (c *controller) neverBoth(name, kind string) {
	node, err := c.nodes.Get(name)
	if err != nil || node.Kind != "" {
		return
	}
	if node.Kind == kind && node.Kind == "Node" {
		node.Spec.PodCIDR = ""
	}
}

// Mistakes.

func (c *controller) copiedInAnotherPhase(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	phase := node.Status.Phase
	if phase == corev1.NodeRunning {
		node = node.DeepCopy()
	}
	if phase != corev1.NodePending {
		node.Spec.PodCIDR = "" // want `cachemutation/lister-object`
	}
}
