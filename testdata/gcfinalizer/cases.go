// Package gcfinalizer leaves clean-up to Go's garbage collector.
package gcfinalizer

import (
	"context"
	"log"
	"os"
	"runtime"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// session is what a user of a lease has in memory.
type session struct {
	client client.Client
	core   kubernetes.Interface
	lease  *coordinationv1.Lease
	key    client.ObjectKey
	file   *os.File
}

type buckets struct{ names map[string]bool }

func (b *buckets) remove(name string) { delete(b.names, name) }

// The mistakes.

func finalizerThatDeletes(s *session) {
	runtime.SetFinalizer(s, func(s *session) { // want `what Delete should release stays in the cluster: runtime\.SetFinalizer runs it late or never, and not at shutdown.*\(gcfinalizer/cluster-resource\)`
		_ = s.client.Delete(context.Background(), s.lease)
	})
}

func cleanupThatDeletes(s *session) {
	c := s.client
	runtime.AddCleanup(s, func(lease *coordinationv1.Lease) { // want `runtime.AddCleanup.*gcfinalizer/cluster-resource`
		_ = c.Delete(context.Background(), lease)
	}, s.lease)
}

func typedClient(s *session) {
	core := s.core
	runtime.AddCleanup(s, func(key client.ObjectKey) { // want `gcfinalizer/cluster-resource`
		err := core.CoordinationV1().Leases(key.Namespace).Delete(context.Background(), key.Name, metav1.DeleteOptions{})
		if err != nil {
			log.Print(err)
		}
	}, s.key)
}

func method(s *session) {
	runtime.SetFinalizer(s, (*session).release) // want `what Update should release stays in the cluster: runtime\.SetFinalizer runs it late or never, and not at shutdown.*\(gcfinalizer/cluster-resource\)`
}

// release gives the lease back.
func (s *session) release() {
	s.lease.Spec.HolderIdentity = nil
	_ = s.client.Update(context.Background(), s.lease)
}

func throughAHelper(s *session) {
	runtime.SetFinalizer(s, func(s *session) { // want `gcfinalizer/cluster-resource`
		if s.lease != nil {
			s.release()
		}
	})
}

func dynamicClient(s *session, leases dynamic.ResourceInterface) {
	runtime.AddCleanup(s, func(name string) { // want `gcfinalizer/cluster-resource`
		_ = leases.Delete(context.Background(), name, metav1.DeleteOptions{})
	}, s.key.Name)
}

func allOfThem(s *session) {
	c := s.client
	runtime.AddCleanup(s, func(namespace string) { // want `what DeleteAllOf should release stays in the cluster: runtime\.AddCleanup runs it late or never, and not at shutdown.*\(gcfinalizer/cluster-resource\)`
		_ = c.DeleteAllOf(context.Background(), &corev1.ConfigMap{}, client.InNamespace(namespace))
	}, s.key.Namespace)
}

func finalizerOfAnObject(b *v1.Backup, known *buckets) {
	runtime.SetFinalizer(b, func(b *v1.Backup) { known.remove(b.Name) }) // want `the clean-up for this Backup runs at any time or never: runtime\.SetFinalizer watches a copy in memory, not the object.*\(gcfinalizer/api-object\)`
}

func cleanupOfAnObject(pod *corev1.Pod, known *buckets) {
	runtime.AddCleanup(pod, known.remove, pod.Name) // want `the clean-up for this Pod runs at any time or never: runtime\.AddCleanup watches a copy in memory, not the object.*\(gcfinalizer/api-object\)`
}

func ownObject(known *buckets) *v1.Cluster {
	cluster := &v1.Cluster{}
	runtime.SetFinalizer(cluster, func(*v1.Cluster) { log.Print("cluster is gone") }) // want `gcfinalizer/api-object`
	return cluster
}

// What is right.

func file(s *session) {
	runtime.SetFinalizer(s, func(s *session) { s.file.Close() })
}

func cleanupOfAFile(s *session) {
	runtime.AddCleanup(s, func(f *os.File) { f.Close() }, s.file)
}

func takenOff(b *v1.Backup) {
	runtime.SetFinalizer(b, nil)
}

func counted(s *session, live map[string]int) {
	name := s.key.Name
	runtime.SetFinalizer(s, func(*session) { live[name]-- })
}

// Deleting from a map is no request.
func localDelete(s *session, known *buckets) {
	runtime.AddCleanup(s, known.remove, s.key.Name)
}

// store is a cache of the operator's own.
type store struct{ files map[string]*os.File }

func (s *store) Delete(_ context.Context, name string) error { return s.files[name].Close() }

func ownDelete(s *session, files *store) {
	runtime.AddCleanup(s, func(name string) { _ = files.Delete(context.Background(), name) }, s.key.Name)
}

func reads(s *session) {
	c := s.client
	runtime.AddCleanup(s, func(key client.ObjectKey) {
		var lease coordinationv1.Lease
		if err := c.Get(context.Background(), key, &lease); err == nil {
			log.Printf("lease %s is still held", key)
		}
	}, s.key)
}

// A function that only makes the request's function.
func warns(s *session) {
	runtime.SetFinalizer(s, func(s *session) {
		if s.lease != nil {
			log.Printf("session %s was not closed", s.key)
		}
	})
}

func explicit(ctx context.Context, s *session) error {
	defer runtime.KeepAlive(s)
	return s.client.Delete(ctx, s.lease)
}

func deferred(s *session) {
	defer s.release()
	runtime.GC()
}

// finalizers of API objects have the same name, and nothing else in common.
type hooks struct{}

func (hooks) SetFinalizer(obj client.Object, remove func(client.Object)) { remove(obj) }

func ownSetFinalizer(h hooks, b *v1.Backup, c client.Client) {
	h.SetFinalizer(b, func(obj client.Object) { _ = c.Delete(context.Background(), obj) })
}

func suppressed(b *v1.Backup, known *buckets) {
	runtime.SetFinalizer(b, func(b *v1.Backup) { known.remove(b.Name) }) //nolint:gcfinalizer // counts copies in a leak test
}
