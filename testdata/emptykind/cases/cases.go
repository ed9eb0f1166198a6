// Package cases reads the kinds of typed objects, which are empty.
package cases

import (
	"context"
	"fmt"
	"log"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
)

type controller struct {
	core        kubernetes.Interface
	client      client.Client
	scheme      *runtime.Scheme
	deployments appslisters.DeploymentLister
	pods        corelisters.PodLister
}

// The mistakes.

func (c *controller) ownedByWhatAClientsetGot(ctx context.Context, ns, name string) (*corev1.ConfigMap, error) {
	dep, err := c.core.AppsV1().Deployments(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: name,
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: dep.APIVersion, // want `the API server rejects the owner reference: a Deployment from a typed client or lister has no apiVersion; name it, or use apiutil\.GVKForObject \(emptykind/lost-gvk\)`
			Kind:       dep.Kind,
			Name:       dep.Name,
			UID:        dep.UID,
		}},
	}}, nil
}

func (c *controller) ownedByWhatAListerGot(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	return metav1.NewControllerRef(dep, dep.GroupVersionKind()), nil // want `the API server rejects the owner reference: a Deployment from a typed client or lister has no kind.*\(emptykind/lost-gvk\)`
}

func (c *controller) ownedByACopy(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	owner := dep.DeepCopy()
	gvk := owner.GetObjectKind().GroupVersionKind() // want `the API server rejects the owner reference: a Deployment from a typed client or lister has no kind.*\(emptykind/lost-gvk\)`
	return &metav1.OwnerReference{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Name: owner.Name, UID: owner.UID}, nil
}

func (c *controller) ownedByWhatWasCreated(ctx context.Context, dep *appsv1.Deployment) (*metav1.OwnerReference, error) {
	created, err := c.core.AppsV1().Deployments(dep.Namespace).Create(ctx, dep, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return ownerOf(created), nil
}

func ownerOf(dep *appsv1.Deployment) *metav1.OwnerReference {
	return &metav1.OwnerReference{
		APIVersion: dep.APIVersion, // want `the API server rejects the owner reference: a Deployment from a typed client or lister has no apiVersion.*\(emptykind/lost-gvk\)`
		Kind:       dep.Kind, Name: dep.Name, UID: dep.UID,
	}
}

func (c *controller) elementsOfAList(ctx context.Context, ns string) ([]corev1.ObjectReference, error) {
	list, err := c.core.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var refs []corev1.ObjectReference
	for _, pod := range list.Items {
		refs = append(refs, corev1.ObjectReference{
			Kind: pod.Kind, // want `the ObjectReference tells nobody what it is about: a Pod.*\(emptykind/lost-gvk\)`
			Name: pod.Name, UID: pod.UID,
		})
	}
	return refs, nil
}

// The kind, name and UID of an object of Kubernetes' own say which it is.
func (c *controller) onlyTheVersion(ctx context.Context, name string) (*corev1.ObjectReference, error) {
	node, err := c.core.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &corev1.ObjectReference{Kind: "Node", Name: node.Name, UID: node.UID, APIVersion: node.APIVersion}, nil // want `hygiene: this is empty: a Node.* has no apiVersion.*\(emptykind/lost-gvk\)`
}

func (c *controller) versionWithoutUID(ctx context.Context, name string) (*corev1.ObjectReference, error) {
	node, err := c.core.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &corev1.ObjectReference{Kind: "Node", Name: node.Name, APIVersion: node.APIVersion}, nil // want `loss: the ObjectReference tells nobody what it is about: a Node.*\(emptykind/lost-gvk\)`
}

// The Secrets of a service account are in its namespace, and nothing reads of what kind they are.
func (c *controller) secretOfAccount(ctx context.Context, account *corev1.ServiceAccount) error {
	secret, err := c.core.CoreV1().Secrets(account.Namespace).Create(ctx, tokenOf(account), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	account.Secrets = []corev1.ObjectReference{{Kind: secret.Kind, Namespace: secret.Namespace, Name: secret.Name}} // want `hygiene: this is empty: a Secret.* has no kind.*\(emptykind/lost-gvk\)`
	_, err = c.core.CoreV1().ServiceAccounts(account.Namespace).Update(ctx, account, metav1.UpdateOptions{})
	return err
}

func tokenOf(account *corev1.ServiceAccount) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: account.Name + "-token-"}, Type: corev1.SecretTypeServiceAccountToken}
}

func (c *controller) addedToAccount(ctx context.Context, account *corev1.ServiceAccount, name string) error {
	secret, err := c.core.CoreV1().Secrets(account.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	ref := corev1.ObjectReference{Name: secret.Name}
	ref.Kind = secret.Kind // want `hygiene: this is empty: a Secret.* has no kind.*\(emptykind/lost-gvk\)`
	account.Secrets = append(account.Secrets, ref)
	return nil
}

// What else refers to a Secret is to say so.
func (c *controller) secretElsewhere(ctx context.Context, ns, name string) (*corev1.ObjectReference, error) {
	secret, err := c.core.CoreV1().Secrets(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &corev1.ObjectReference{Kind: secret.Kind, Namespace: secret.Namespace, Name: secret.Name}, nil // want `loss: the ObjectReference tells nobody what it is about: a Secret.*\(emptykind/lost-gvk\)`
}

func (c *controller) comparedWithAConstant(ns, name string) bool {
	pod, err := c.pods.Pods(ns).Get(name)
	return err == nil && pod.Kind == "Pod" // want `this is never "Pod": a Pod from.*\(emptykind/lost-gvk\)`
}

// With its kind it would be no other either.
func (c *controller) comparedWithAnother(ns, name string) bool {
	pod, err := c.pods.Pods(ns).Get(name)
	return err == nil && pod.Kind == "Job" // want `^hygiene: this is never "Job": a Pod from.*\(emptykind/lost-gvk\)`
}

func (c *controller) fromAHelper(ctx context.Context, ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployment(ctx, ns, name)
	if err != nil {
		return nil, err
	}
	return &metav1.OwnerReference{
		Kind: dep.Kind, // want `the API server rejects the owner reference: a Deployment from a typed client or lister has no kind.*\(emptykind/lost-gvk\)`
		Name: dep.Name, UID: dep.UID,
	}, nil
}

func (c *controller) deployment(ctx context.Context, ns, name string) (*appsv1.Deployment, error) {
	dep, err := c.core.AppsV1().Deployments(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("getting it: %w", err)
	}
	return dep, nil
}

// Right.

func (c *controller) cachedClient(ctx context.Context, key client.ObjectKey) (*metav1.OwnerReference, error) {
	dep := &appsv1.Deployment{} // controller-runtime's caches set the kind
	if err := c.client.Get(ctx, key, dep); err != nil {
		return nil, err
	}
	return &metav1.OwnerReference{APIVersion: dep.APIVersion, Kind: dep.Kind, Name: dep.Name, UID: dep.UID}, nil
}

func (c *controller) kindIsNamed(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	return metav1.NewControllerRef(dep, appsv1.SchemeGroupVersion.WithKind("Deployment")), nil
}

func (c *controller) schemeIsAsked(ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	gvk, err := apiutil.GVKForObject(dep, c.scheme)
	if err != nil {
		return nil, err
	}
	return metav1.NewControllerRef(dep, gvk), nil
}

func (c *controller) setBefore(ns, name string) (*metav1.OwnerReference, error) {
	found, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	dep := found.DeepCopy()
	dep.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	return metav1.NewControllerRef(dep, dep.GroupVersionKind()), nil
}

func (c *controller) setByHand(ctx context.Context, ns, name string) (*metav1.OwnerReference, error) {
	dep, err := c.core.AppsV1().Deployments(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	dep.Kind, dep.APIVersion = "Deployment", "apps/v1"
	return &metav1.OwnerReference{APIVersion: dep.APIVersion, Kind: dep.Kind, Name: dep.Name, UID: dep.UID}, nil
}

func (c *controller) setByAHelper(ns, name string) (*metav1.OwnerReference, error) {
	found, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	dep := found.DeepCopy()
	addType(dep)
	return metav1.NewControllerRef(dep, dep.GroupVersionKind()), nil
}

func addType(dep *appsv1.Deployment) {
	dep.TypeMeta = metav1.TypeMeta{Kind: "Deployment", APIVersion: "apps/v1"}
}

func (c *controller) askedWhetherEmpty(ns, name string) (schema.GroupVersionKind, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	gvk := dep.GroupVersionKind()
	if gvk.Empty() {
		gvk = appsv1.SchemeGroupVersion.WithKind("Deployment")
	}
	return gvk, nil
}

func (c *controller) onlyLogged(ns string) error {
	pods, err := c.pods.Pods(ns).List(labels.Everything())
	if err != nil {
		return err
	}
	for _, pod := range pods {
		log.Printf("%s %s", pod.Kind, pod.Name)
	}
	return nil
}

func aParameterOfUnknownCallers(pod *corev1.Pod) corev1.ObjectReference {
	return corev1.ObjectReference{Kind: pod.Kind, Name: pod.Name}
}

func kindOfAReference(ref metav1.OwnerReference) bool { return ref.Kind == "Deployment" }

// The API server stores the kind with custom resources, so that the elements of a list of these have theirs.
func elementsOfCustomResources(ctx context.Context, backups exampleclient.BackupInterface) ([]corev1.ObjectReference, error) {
	list, err := backups.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var refs []corev1.ObjectReference
	for _, b := range list.Items {
		refs = append(refs, corev1.ObjectReference{Kind: b.Kind, Name: b.Name, UID: b.UID})
	}
	return refs, nil
}

// What another project takes an empty kind for, it alone knows.
func (c *controller) inAStructOfOthers(ns, name string) (*cobra.Command, error) {
	dep, err := c.deployments.Deployments(ns).Get(name)
	if err != nil {
		return nil, err
	}
	return &cobra.Command{Use: name, Short: dep.Kind}, nil
}
