package lists

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Updater changes an object later.
type Updater struct{ changes []func(metav1.Object) }

// Queue notes a change.
func (u *Updater) Queue(change func(metav1.Object)) { u.changes = append(u.changes, change) }

// Apply makes all changes.
func (u *Updater) Apply(obj metav1.Object) {
	for _, change := range u.changes {
		change(obj)
	}
}

// Remover takes a finalizer off.
func Remover(finalizer string) func(metav1.Object) {
	return func(obj metav1.Object) { Drop(obj, finalizer) }
}
