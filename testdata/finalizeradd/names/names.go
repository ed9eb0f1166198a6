// Package names has names of finalizers.
package names

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizeradd/helpers"
	"github.com/opvet/opvet/testdata/finalizeradd/names/constants"
)

// Mistakes.

const bare = "cleanup" // want `another controller may use and remove the finalizer "cleanup", which has no domain.*\(finalizeradd/unqualified\)`

const (
	// passedOn goes through a helper of another package.
	passedOn       = "backupFinalizer"     // want `unqualified`
	upperCase      = "Example.Dev/cleanup" // want `the API server refuses each write with the finalizer "Example\.Dev/cleanup".*\(finalizeradd/unqualified\)`
	twoSlashes     = "example.dev/a/b"     // want `refuses`
	withSpace      = "clean up"            // want `refuses`
	appended       = "appended"            // want `unqualified`
	inLiteral      = "in-literal"          // want `unqualified`
	usedTwice      = "used-twice"          // want `unqualified`
	fromOtherPlace = constants.Imported    // want `unqualified`
)

var kept = "kept" // want `unqualified`

func add(b *v1.Backup) {
	controllerutil.AddFinalizer(b, kept)
	controllerutil.AddFinalizer(b, bare)
	controllerutil.AddFinalizer(b, "literal") // want `another controller may use and remove the finalizer "literal", which has no domain.*\(finalizeradd/unqualified\)`
	controllerutil.AddFinalizer(b, upperCase)
	controllerutil.AddFinalizer(b, twoSlashes)
	controllerutil.AddFinalizer(b, withSpace)
	controllerutil.AddFinalizer(b, constants.Bare) // want `another controller may use and remove the finalizer "protect" \(constants\.go:\d+\), which has no domain.*\(finalizeradd/unqualified\)`
	controllerutil.AddFinalizer(b, fromOtherPlace)
	controllerutil.AddFinalizer(b, usedTwice)
	helpers.Add(b, passedOn)
	b.Finalizers = append(b.Finalizers, appended)
}

func again(b *v1.Backup) { controllerutil.AddFinalizer(b, usedTwice) }

func create(ctx context.Context, c client.Client) error {
	return c.Create(ctx, &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: "b", Finalizers: []string{inLiteral}}})
}

// Traps.

const (
	// ControllerFinalizer names a controller and is never a finalizer.
	ControllerFinalizer = "backup-finalizer"
	prefix              = "example.opvet.dev/"
	joined              = prefix + "joined"
	qualified           = "backup.example.opvet.dev/cleanup"
	justRemoved         = "old"
	domainOnly          = "backups.example.opvet.dev"
)

// assigned and Exported may have any value.
var (
	assigned = "assigned"
	Exported = "exported"
)

func configure(name string) { assigned = name }

func right(b *v1.Backup, name string) {
	controllerutil.AddFinalizer(b, assigned)
	controllerutil.AddFinalizer(b, Exported)
	controllerutil.AddFinalizer(b, joined)
	controllerutil.AddFinalizer(b, qualified)
	controllerutil.AddFinalizer(b, prefix+name)
	controllerutil.AddFinalizer(b, name)
	controllerutil.AddFinalizer(b, metav1.FinalizerDeleteDependents)
	controllerutil.AddFinalizer(b, metav1.FinalizerOrphanDependents)
	controllerutil.AddFinalizer(b, string(corev1.FinalizerKubernetes))
	controllerutil.AddFinalizer(b, domainOnly)
	controllerutil.RemoveFinalizer(b, justRemoved)
	if controllerutil.ContainsFinalizer(b, justRemoved) {
		println(ControllerFinalizer)
	}
}
