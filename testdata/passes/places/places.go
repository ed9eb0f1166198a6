// Package places has places inside of API objects. Each function hands some
// to see, and says what they are: the object, with its kind in parentheses,
// and the part of it.
package places

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func see(...any) {}

// scope holds two objects, and a part of neither.
type scope struct {
	Cluster *v1.Cluster
	Request *v1.Backup
	Pod     corev1.Pod
	name    string
}

type outer struct{ scope }

// want b (object)
// want b (Backup).Status: status
// want b (Backup).Status.Phase: status
// want b (Backup).Spec: spec
// want b (Backup).ObjectMeta: metadata
// want b (Backup).ObjectMeta.Labels: labels
func parts(b *v1.Backup) {
	see(b, &b.Status, b.Status.Phase, &b.Spec, &b.ObjectMeta, b.Labels)
}

// want s.Cluster (object)
// want s.Request (object)
// want s.Cluster (Cluster).Status: status
// want s.Request (Backup).Status: status
func twoObjects(s *scope) {
	see(s.Cluster, s.Request, s.Cluster.Status, &s.Request.Status)
}

// want o.scope.Cluster (object)
// want o.scope.Cluster (Cluster).Spec.Paused: spec
// want o.scope.Pod (object)
// want o.scope.Pod (Pod).Status.Phase: status
func embedded(o *outer) {
	see(o.Cluster, o.Cluster.Spec.Paused, &o.Pod, o.Pod.Status.Phase)
}

// want list.Items.[] (object)
// want list.Items.[] (Backup).Status.Phase: status
func elements(list *v1.BackupList) {
	for i := range list.Items {
		see(&list.Items[i], list.Items[i].Status.Phase)
	}
}

// want b (Backup).Status.Volumes.[]: status
// want b (Backup).Status.Volumes.[].Done: status
// want b (Backup).Status.Targets.[]: status
func insideLists(b *v1.Backup, i int) {
	see(b.Status.Volumes[i], b.Status.Volumes[i].Done, b.Status.Targets["a"])
}

// want b (Backup).Status: status
// want b (Backup).Status.Message: status
func alias(b *v1.Backup) {
	status := &b.Status
	see(status, status.Message)
}

// want obj (object)
// want obj (Pod).Status.Phase: status
func fromAny(obj any) {
	pod := obj.(*corev1.Pod)
	see(pod, pod.Status.Phase)
}

// want obj (object)
// want obj (Pod).Status.Phase: status
func fromObject(obj client.Object) {
	if pod, ok := obj.(*corev1.Pod); ok {
		see(pod, pod.Status.Phase)
	}
}

// want obj (Pod).Status.Phase: status
// want obj (Backup).Status.Phase: status
func fromAccessor(obj metav1.Object) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		see(obj.Status.Phase)
	case *v1.Backup:
		see(obj.Status.Phase)
	}
}

// want pod (object)
func toInterfaces(pod *corev1.Pod) {
	var obj client.Object = pod
	var ro runtime.Object = obj
	see(ro.(metav1.Object))
}

// want obj (object)
func typeParameter[T client.Object](obj T) { see(obj) }

// want local s (object)
// want local s (Backup).Status.Phase: status
func value(b *v1.Backup) {
	s := *b
	see(&s, s.Status.Phase)
}

// want b (Backup).Status.Phase: status
func captured(b *v1.Backup) {
	func() { see(b.Status.Phase) }()
}

// want call (object)
// want call (Backup).Status: status
func copied(b *v1.Backup) {
	c := b.DeepCopy()
	see(c, &c.Status)
}

// want b (object)
// want b (Backup).Status.Phase: status
func throughStruct(b *v1.Backup) {
	s := &scope{Request: b, name: "x"}
	see(s.Request, s.Request.Status.Phase)
}

// want b (object)
// want c (object)
func throughStructValue(b *v1.Backup, c *v1.Cluster) {
	s := scope{Request: b, Cluster: c}
	see(s.Request, s.Cluster)
}
