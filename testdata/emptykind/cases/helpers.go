package cases

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Helpers read the kind, or get it.

func (c *controller) kindFromAHelper(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	return metav1.NewControllerRef(dep, kindOf(dep)), nil
}

func kindOf(dep *appsv1.Deployment) schema.GroupVersionKind {
	return dep.GroupVersionKind() // want `the API server rejects the owner reference: a Deployment from a typed client or lister has no kind`
}

func (c *controller) kindToAHelper(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	return reference(dep.Kind, dep), nil // want `the API server rejects the owner reference: a Deployment from a typed client or lister has no kind`
}

func reference(kind string, dep *appsv1.Deployment) *metav1.OwnerReference {
	return &metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: dep.Name, UID: dep.UID}
}

// Right: the helper has an answer where there is none, others use it as well, and a literal
// reads what was set around it.

func (c *controller) defaulted(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	return referenceOr(dep.Kind, "Deployment", dep), nil
}

func referenceOr(kind, otherwise string, dep *appsv1.Deployment) *metav1.OwnerReference {
	if kind == "" {
		kind = otherwise
	}
	return &metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: dep.Name, UID: dep.UID}
}

func (c *controller) namedByOneOfTwo(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	if anyKind(dep).Empty() {
		return nil, nil
	}
	return metav1.NewControllerRef(dep, appsv1.SchemeGroupVersion.WithKind("Deployment")), nil
}

func ofOurOwn() *metav1.OwnerReference {
	dep := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{Kind: "Deployment", APIVersion: "apps/v1"}}
	return metav1.NewControllerRef(dep, anyKind(dep))
}

func anyKind(dep *appsv1.Deployment) schema.GroupVersionKind { return dep.GroupVersionKind() }

func (c *controller) readInALiteral(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	owner := dep.DeepCopy()
	owner.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	kind := func() schema.GroupVersionKind { return owner.GroupVersionKind() }
	return metav1.NewControllerRef(owner, kind()), nil
}
