package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	sigsyaml "sigs.k8s.io/yaml"
)

// cluster makes objects as the users of an operator do.
type cluster struct {
	client    dynamic.Interface
	discovery discovery.DiscoveryInterface
	mapper    *restmapper.DeferredDiscoveryRESTMapper
}

func (s *server) cluster() *cluster {
	d := kubernetes.NewForConfigOrDie(s.config).Discovery()
	return &cluster{dynamic.NewForConfigOrDie(s.config), d, restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))}
}

// readObjects reads the objects of YAML files.
func readObjects(t *testing.T, files ...string) []*unstructured.Unstructured {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
		for {
			obj := &unstructured.Unstructured{}
			if err := decoder.Decode(obj); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(obj.Object) > 0 {
				objects = append(objects, obj)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}

// of returns the client for an object.
func (c *cluster) of(obj *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := obj.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		c.mapper.Reset()
		mapping, err = c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.client.Resource(mapping.Resource).Namespace(obj.GetNamespace()), nil
	}
	return c.client.Resource(mapping.Resource), nil
}

// install creates custom resource definitions, and waits until they are served.
func (c *cluster) install(t *testing.T, crds []*unstructured.Unstructured) {
	t.Helper()
	for _, crd := range crds {
		if crd.GetKind() != "CustomResourceDefinition" {
			continue
		}
		if err := c.make(t.Context(), crd); err != nil {
			t.Fatal(err)
		}
		if err := eventually(t.Context(), 30*time.Second, func(ctx context.Context) error {
			client, err := c.of(crd)
			if err != nil {
				return err
			}
			now, err := client.Get(ctx, crd.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}
			conditions, _, _ := unstructured.NestedSlice(now.Object, "status", "conditions")
			for _, c := range conditions {
				if c, ok := c.(map[string]any); ok && c["type"] == "Established" && c["status"] == "True" {
					return nil
				}
			}
			return fmt.Errorf("%s is not established", crd.GetName())
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// make creates an object; if it has a status, that is stored, too.
func (c *cluster) make(ctx context.Context, obj *unstructured.Unstructured) error {
	client, err := c.of(obj)
	if err != nil {
		return err
	}
	if _, err := client.Create(ctx, obj.DeepCopy(), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	if _, ok := obj.Object["status"]; ok && obj.GetKind() != "CustomResourceDefinition" {
		return c.change(ctx, obj)
	}
	return nil
}

// change merges what is written into an object that somebody has made, and its status.
func (c *cluster) change(ctx context.Context, obj *unstructured.Unstructured) error {
	client, err := c.of(obj)
	if err != nil {
		return err
	}
	change := obj.DeepCopy()
	status, hasStatus := change.Object["status"]
	delete(change.Object, "status")
	if err := patch(ctx, client, change); err != nil {
		return err
	}
	if !hasStatus {
		return nil
	}
	change.Object = map[string]any{"apiVersion": obj.GetAPIVersion(), "kind": obj.GetKind(), "metadata": map[string]any{"name": obj.GetName()}, "status": status}
	return patch(ctx, client, change, "status")
}

func patch(ctx context.Context, client dynamic.ResourceInterface, change *unstructured.Unstructured, sub ...string) error {
	data, err := change.MarshalJSON()
	if err != nil {
		return err
	}
	if _, err := client.Patch(ctx, change.GetName(), types.MergePatchType, data, metav1.PatchOptions{}, sub...); err != nil {
		return fmt.Errorf("changing %s %s: %w", change.GetKind(), change.GetName(), err)
	}
	return nil
}

func (c *cluster) remove(ctx context.Context, obj *unstructured.Unstructured) error {
	client, err := c.of(obj)
	if err != nil {
		return err
	}
	if err := client.Delete(ctx, obj.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	return nil
}

// scenario is what happens in the cluster while an operator runs.
type scenario struct {
	make, change []*unstructured.Unstructured
}

// readScenario reads what is made and what is changed from a folder. Objects in the
// namespace "space" get another one for each run.
func readScenario(t *testing.T, dir string) scenario {
	t.Helper()
	return scenario{
		make:   readObjects(t, filepath.Join(dir, "make.yaml")),
		change: readObjects(t, filepath.Join(dir, "change.yaml")),
	}
}

// in returns the scenario in a namespace of its own.
func (s scenario) in(t *testing.T, namespace string) scenario {
	t.Helper()
	move := func(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
		var moved []*unstructured.Unstructured
		for _, obj := range objects {
			data, err := sigsyaml.Marshal(obj.Object)
			if err != nil {
				t.Fatal(err)
			}
			to := &unstructured.Unstructured{}
			if err := sigsyaml.Unmarshal([]byte(strings.ReplaceAll(string(data), "SPACE", namespace)), &to.Object); err != nil {
				t.Fatal(err)
			}
			moved = append(moved, to)
		}
		return moved
	}
	return scenario{move(s.make), move(s.change)}
}

// play makes, changes and deletes the objects. What is changed may be an object that the
// operator makes: it waits a while for that.
func (c *cluster) play(ctx context.Context, s scenario) error {
	for _, obj := range s.make {
		if err := c.make(ctx, obj); err != nil {
			return err
		}
	}
	var errs []error
	for _, obj := range s.change {
		err := eventually(ctx, 20*time.Second, func(ctx context.Context) error { return c.change(ctx, obj) })
		errs = append(errs, err)
		pause(ctx, time.Second)
	}
	pause(ctx, 2*time.Second)
	for i := range s.make {
		// Namespaces stay: nothing would end their deletion, and all else would be refused in
		// them.
		if obj := s.make[len(s.make)-1-i]; obj.GetKind() != "Namespace" {
			errs = append(errs, c.remove(ctx, obj))
		}
	}
	pause(ctx, 3*time.Second)
	return errors.Join(errs...)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// sweep deletes all that is left of a run: what is in its namespaces, and what the
// operator has made outside of them. Nothing else would, since no controller manager
// runs.
func (c *cluster) sweep(t *testing.T, groups map[string]bool, namespaces ...string) {
	t.Helper()
	lists, err := discovery.ServerPreferredResources(c.discovery)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.APIResources {
			if !contains(r.Verbs, "list") || !contains(r.Verbs, "delete") || isKept(gv.Group, r.Name) {
				continue
			}
			resource := c.client.Resource(gv.WithResource(r.Name))
			if !r.Namespaced && groups[gv.Group] {
				c.empty(t, resource, resource)
			}
			for _, ns := range namespaces {
				if r.Namespaced {
					c.empty(t, resource.Namespace(ns), resource.Namespace(ns))
				}
			}
		}
	}
}

// isKept reports whether a resource belongs to the test.
func isKept(group, resource string) bool {
	return resource == "serviceaccounts" || group == "rbac.authorization.k8s.io" || group == "apiextensions.k8s.io" || resource == "namespaces" || resource == "events"
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func (c *cluster) empty(t *testing.T, lister, client dynamic.ResourceInterface) {
	t.Helper()
	list, err := lister.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now := int64(0)
	for _, obj := range list.Items {
		if len(obj.GetFinalizers()) > 0 {
			_, _ = client.Patch(t.Context(), obj.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		}
		if err := client.Delete(t.Context(), obj.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
}
