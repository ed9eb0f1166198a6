// Package api has kinds that refer to each other by name and namespace.
package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// StoreRef names a store, perhaps in another namespace.
type StoreRef struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

// StoreSpec is what a user asks for.
type StoreSpec struct {
	SecretNamespace string   `json:"secretNamespace,omitempty"`
	Namespaces      []string `json:"namespaces,omitempty"`
}

// Store is namespaced.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced
type Store struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec StoreSpec `json:"spec,omitempty"`
}

// DeepCopyObject copies.
func (s *Store) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// TopicSpec is what a user asks for.
type TopicSpec struct {
	StoreRef StoreRef `json:"storeRef"`
}

// Topic is namespaced, and lives in a store.
//
// +kubebuilder:object:root=true
type Topic struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TopicSpec `json:"spec,omitempty"`
}

// DeepCopyObject copies.
func (t *Topic) DeepCopyObject() runtime.Object {
	out := *t
	t.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// NewStore makes a store in a namespace.
func NewStore(name, namespace string) *Store {
	return &Store{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
}
