// Package fresh has objects that the program makes itself, beside objects of the cache.
package fresh

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type controller struct {
	client.Client
	clientset kubernetes.Interface
	services  corelisters.ServiceLister
	informer  cache.SharedIndexInformer
	wanted    *corev1.Service
}

// Mistakes.

// afterGet hands the cached object on, and a new one before.
func (c *controller) afterGet(name string) error {
	service := &corev1.Service{}
	label(service)
	service, err := c.services.Services("a").Get(name)
	if err != nil {
		return err
	}
	return c.relabel(service)
}

func (c *controller) relabel(service *corev1.Service) error {
	service.Labels["a"] = "b" // want "crash: .*2 places"
	return nil
}

// oneOfThem has the cached object among the variadic arguments.
func (c *controller) oneOfThem(ctx context.Context, name string) error {
	service, err := c.services.Services("a").Get(name)
	if err != nil {
		return err
	}
	return c.apply(ctx, &corev1.Service{}, service) // want "loss: if Update fails, the changed .*through-helper"
}

func (c *controller) apply(ctx context.Context, services ...*corev1.Service) error {
	for _, service := range services {
		service.Labels["a"] = "b"
		if err := c.Update(ctx, service); err != nil {
			return err
		}
	}
	return nil
}

// inNextRound changes what the round before has read.
func (c *controller) inNextRound(names []string) {
	service := &corev1.Service{}
	for _, name := range names {
		_ = c.relabel(service)
		service, _ = c.services.Services("a").Get(name)
	}
}

// Right.

func label(service *corev1.Service) { service.Labels = map[string]string{"a": "b"} }

// made hands over nothing but new objects.
func (c *controller) made(ctx context.Context, name string) error {
	if err := c.labelled(ctx, &corev1.Service{}, c.headless(name)); err != nil {
		return err
	}
	_, err := c.services.Services("a").Get(name)
	return err
}

func (c *controller) labelled(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		object.SetLabels(map[string]string{"a": "b"})
		object.GetAnnotations()["a"] = "b"
		if err := c.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
		if err := c.Get(ctx, client.ObjectKeyFromObject(object), object, &client.GetOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func (c *controller) headless(name string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{ClusterIP: "None"}}
}

// readAfterwards reads into the slice, when all is changed.
func (c *controller) readAfterwards(name string) []*corev1.Service {
	services := []*corev1.Service{c.headless(name), c.headless(name + "-b")}
	for _, service := range services {
		service.Labels["a"] = "b"
	}
	setAll(services...)
	for i := range services {
		if cached, err := c.services.Services("a").Get(services[i].Name); err == nil {
			services[i] = cached
		}
	}
	return services
}

func setAll(services ...*corev1.Service) {
	for _, service := range services {
		service.Spec.ClusterIP = ""
	}
}

// resolved replaces its elements after they were changed.
func (c *controller) resolved(services ...*corev1.Service) {
	setAll(services...)
	for i, service := range services {
		service.Labels["a"] = "b"
		services[i], _ = c.services.Services("a").Get(service.Name)
	}
}

func (c *controller) callsResolved() {
	services := []*corev1.Service{c.headless("a"), c.headless("b")}
	c.resolved(services...)
	c.resolved(c.headless("c"), c.headless("d"))
}

// field keeps a new object, and later the cached one.
func (c *controller) field(name string) error {
	c.wanted = c.headless(name)
	c.wanted.Labels["a"] = "b"
	label(c.wanted)
	cached, err := c.services.Services("a").Get(name)
	if err != nil {
		return err
	}
	c.wanted = cached
	return nil
}

// createOrCopy changes the new object or a copy.
func (c *controller) createOrCopy(ctx context.Context, name string) error {
	service, err := c.services.Services("a").Get(name)
	switch {
	case apierrors.IsNotFound(err):
		service = c.headless(name)
	case err != nil:
		return err
	default:
		service = service.DeepCopy()
	}
	service.Labels["a"] = "b"
	_, err = c.clientset.CoreV1().Services("a").Update(ctx, service, metav1.UpdateOptions{})
	return err
}

// builders are called for new objects.
func (c *controller) builders(ctx context.Context) error {
	for _, build := range []func(string) *corev1.Service{c.headless, plain} {
		service := build("a")
		service.Labels["a"] = "b"
		cached, err := c.services.Services("a").Get(service.Name)
		if err == nil && cached.Spec.ClusterIP == service.Spec.ClusterIP {
			service = cached
		}
		if err := c.Create(ctx, service); err != nil {
			return err
		}
	}
	return nil
}

func plain(name string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// byKey makes an object where the cache has none.
func (c *controller) byKey(key types.NamespacedName, uid types.UID) error {
	obj, exists, err := c.informer.GetStore().GetByKey(key.String())
	if err != nil {
		return err
	}
	var service *corev1.Service
	if exists {
		service = obj.(*corev1.Service)
	} else {
		service = plain(key.Name)
		service.UID = uid
	}
	if service.UID == "" {
		service.UID = uid // what comes from the API server has one
	}
	return nil
}
