// Package finalizers has functions that change finalizers. Each says what it
// does; "while deleting" marks an addition that an object which is being
// deleted may get.
package finalizers

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/passes/finalizers/lib"
)

var registered = "example.opvet.dev/registered"

// The changes.

// want added "example.opvet.dev/cleanup" while deleting
func helper(b *v1.Backup) { controllerutil.AddFinalizer(b, v1.Finalizer) }

// want removed "example.opvet.dev/cleanup"
func removal(b *v1.Backup) { controllerutil.RemoveFinalizer(b, v1.Finalizer) }

// want added "example.opvet.dev/cleanup" while deleting
func appended(b *v1.Backup) { b.Finalizers = append(b.Finalizers, v1.Finalizer) }

// want added "example.opvet.dev/cleanup" while deleting
func setter(b client.Object) { b.SetFinalizers(append(b.GetFinalizers(), v1.Finalizer)) }

// want added "example.opvet.dev/cleanup" while deleting
func conditional(b *v1.Backup) {
	list := b.Finalizers
	if !slices.Contains(list, v1.Finalizer) {
		list = append(list, v1.Finalizer)
	}
	b.Finalizers = list
}

// want added github.com/opvet/opvet/testdata/passes/finalizers.registered while deleting
func variable(b *v1.Backup) { controllerutil.AddFinalizer(b, registered) }

// want emptied unknown
func emptied(b *v1.Backup) { b.Finalizers = nil }

// want emptied unknown
func emptiedBySetter(b *v1.Backup) { b.SetFinalizers([]string{}) }

// want replaced "example.opvet.dev/cleanup"
func replaced(b *v1.Backup) { b.Finalizers = []string{v1.Finalizer} }

func copied(b, from *v1.Backup) { b.Finalizers = from.Finalizers }

func unknown(b *v1.Backup, list []string) { b.Finalizers = compute(list) }

func compute(list []string) []string {
	slices.Sort(list)
	return list[1:]
}

// want removed "example.opvet.dev/cleanup"
func filtered(b *v1.Backup) {
	kept := []string{}
	for _, f := range b.GetFinalizers() {
		if f != v1.Finalizer {
			kept = append(kept, f)
		}
	}
	b.SetFinalizers(kept)
}

// want removed "example.opvet.dev/cleanup"
func deleteFunc(b *v1.Backup) {
	b.Finalizers = slices.DeleteFunc(b.Finalizers, func(f string) bool { return f == v1.Finalizer })
}

// want removed "example.opvet.dev/cleanup"
func byIndex(b *v1.Backup) {
	for i, f := range b.Finalizers {
		if f == v1.Finalizer {
			b.Finalizers = append(b.Finalizers[:i], b.Finalizers[i+1:]...)
			break
		}
	}
}

// want removed "example.opvet.dev/cleanup"
func bySet(b *v1.Backup) {
	set := sets.New(b.Finalizers...)
	set.Delete(v1.Finalizer)
	b.Finalizers = sets.List(set)
}

// want removed "example.opvet.dev/cleanup"
func byHelper(b *v1.Backup) { b.Finalizers = lib.Remove(b.Finalizers, v1.Finalizer) }

// want removed "example.opvet.dev/cleanup"
func byOtherHelper(b *v1.Backup) { b.SetFinalizers(lib.RemoveInPlace(b.GetFinalizers(), v1.Finalizer)) }

// want removed "example.opvet.dev/cleanup"
func byCutting(b *v1.Backup) { b.SetFinalizers(lib.CutAll(b.GetFinalizers(), v1.Finalizer)) }

// want added "example.opvet.dev/cleanup" while deleting
func throughHelper(b *v1.Backup) { lib.Ensure(b, v1.Finalizer) }

// want added "example.opvet.dev/cleanup"
func throughGuardedHelper(b *v1.Backup) { lib.EnsureLive(b, v1.Finalizer) }

// What is known of the deletion.

// want added "example.opvet.dev/cleanup"
func afterReturn(b *v1.Backup) {
	if !b.DeletionTimestamp.IsZero() {
		return
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
}

// want added "example.opvet.dev/cleanup"
func inBranch(b *v1.Backup) {
	if b.GetDeletionTimestamp() == nil && !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		controllerutil.AddFinalizer(b, v1.Finalizer)
	}
}

// want added "example.opvet.dev/cleanup"
func byVariable(b *v1.Backup) {
	deleting := b.DeletionTimestamp != nil
	if b.Spec.Paused {
		return
	}
	if !deleting {
		controllerutil.AddFinalizer(b, v1.Finalizer)
	}
}

// want added "example.opvet.dev/cleanup"
func byPredicate(b *v1.Backup) {
	if lib.IsDeleted(b) {
		return
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
}

// want added "example.opvet.dev/cleanup"
func byOwnPredicate(b *v1.Backup) {
	if finished(b) {
		return
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
}

func finished(b *v1.Backup) bool {
	return b.Status.Phase == v1.BackupCompleted || b.DeletionTimestamp != nil
}

// want added "example.opvet.dev/cleanup"
func byError(b *v1.Backup) error {
	if err := mustLive(b); err != nil {
		return err
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return nil
}

func mustLive(b *v1.Backup) error {
	if b.DeletionTimestamp != nil {
		return errors.New("deleting")
	}
	return nil
}

// want added "example.opvet.dev/cleanup" while deleting
func noReturn(ctx context.Context, c client.Client, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		if err := c.Delete(ctx, b); err != nil {
			return err
		}
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// want added "example.opvet.dev/cleanup" while deleting
func otherObject(b, other *v1.Backup) {
	if !other.DeletionTimestamp.IsZero() {
		return
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
}

// want added "example.opvet.dev/cleanup" while deleting
func half(b *v1.Backup) {
	if b.DeletionTimestamp != nil && b.Spec.Paused {
		return
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
}
