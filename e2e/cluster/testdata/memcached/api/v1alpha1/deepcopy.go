package v1alpha1

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopyInto copies m into another Memcached.
func (m *Memcached) DeepCopyInto(out *Memcached) {
	*out = *m
	m.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Pods = slices.Clone(m.Status.Pods)
	out.Status.Conditions = slices.Clone(m.Status.Conditions)
}

// DeepCopy returns a copy of m.
func (m *Memcached) DeepCopy() *Memcached {
	out := new(Memcached)
	m.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy of m.
func (m *Memcached) DeepCopyObject() runtime.Object { return m.DeepCopy() }

// DeepCopyObject returns a copy of l.
func (l *MemcachedList) DeepCopyObject() runtime.Object {
	out := &MemcachedList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopy())
	}
	return out
}
