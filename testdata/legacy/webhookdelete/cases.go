// Package webhookdelete has webhooks that are methods of the kind, as they were
// before validators got a context.
package webhookdelete

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var reader client.Reader

// Copy is checked without regard to its deletion.
type Copy struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Source string `json:"source"`
}

func (c *Copy) DeepCopyObject() runtime.Object { copied := *c; return &copied }

func (c *Copy) Default() {}

func (c *Copy) ValidateCreate() error { return c.check() }

func (c *Copy) ValidateUpdate(old runtime.Object) error {
	return c.check() // want `an object that is being deleted stays forever if the Secret is gone: ValidateUpdate refuses.*\(webhookdelete/blocks-finalizer\)`
}

func (c *Copy) ValidateDelete() error { return nil }

func (c *Copy) check() error {
	return reader.Get(context.Background(), client.ObjectKey{Namespace: c.Namespace, Name: c.Source}, &corev1.Secret{})
}

// Move is admitted while it is being deleted.
type Move struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Source string `json:"source"`
}

func (m *Move) DeepCopyObject() runtime.Object { copied := *m; return &copied }

func (m *Move) Default() {}

func (m *Move) ValidateCreate() error { return nil }

func (m *Move) ValidateUpdate(old runtime.Object) error {
	if m.GetDeletionTimestamp() != nil {
		return nil
	}
	if before, ok := old.(*Move); ok && before.Source != m.Source {
		return errors.New("the source is immutable")
	}
	return reader.Get(context.Background(), client.ObjectKey{Namespace: m.Namespace, Name: m.Source}, &corev1.Secret{})
}

func (m *Move) ValidateDelete() error { return nil }
