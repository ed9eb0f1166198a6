// Package kept merges conditions in a map, and keeps their times where nothing has changed.
package kept

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := b.Status.DeepCopy()
	r.set(b, metav1.Condition{Type: "Ready", Reason: string(b.Status.Phase), LastTransitionTime: metav1.Now()})
	if equality.Semantic.DeepEqual(before, &b.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Update(ctx, b)
}

func (r *reconciler) set(b *v1.Backup, c metav1.Condition) {
	byType := make(map[string]metav1.Condition)
	for _, known := range b.Status.Conditions {
		byType[known.Type] = known
	}
	if known, ok := byType[c.Type]; ok && known.Reason == c.Reason {
		c.LastTransitionTime = known.LastTransitionTime
	}
	byType[c.Type] = c
	var all []metav1.Condition
	for _, c := range byType {
		all = append(all, c) // want `^load: BackupStatus\.Conditions changes each time`
	}
	b.Status.Conditions = all
}
