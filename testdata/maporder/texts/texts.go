// Package texts writes a condition if its text is another one: that is for people.
package texts

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !note(b, missing(map[string]bool{"a": true, "b": b.Name == "b"})) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Update(ctx, b)
}

func missing(volumes map[string]bool) metav1.Condition {
	var names []string
	for name, found := range volumes {
		if !found {
			names = append(names, name) // want `^hygiene: Condition\.Message changes each time`
		}
	}
	return metav1.Condition{Type: "Complete", Message: strings.Join(names, ", "), LastTransitionTime: metav1.Now()}
}

// note sets a condition, and reports whether it is another one.
func note(b *v1.Backup, c metav1.Condition) bool {
	for i, known := range b.Status.Conditions {
		if known.Type != c.Type {
			continue
		}
		if known.Reason == c.Reason && known.Message == c.Message {
			return false
		}
		b.Status.Conditions[i] = c
		return true
	}
	b.Status.Conditions = append(b.Status.Conditions, c)
	return true
}

// Volumes are for programs.
func (r *reconciler) volumes(ctx context.Context, b *v1.Backup, done map[string]bool) error {
	var all []v1.VolumeStatus
	for volume := range done {
		all = append(all, v1.VolumeStatus{Name: volume}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	if equality.Semantic.DeepEqual(b.Status.Volumes, all) {
		return nil
	}
	b.Status.Volumes = all
	return r.Status().Update(ctx, b)
}
