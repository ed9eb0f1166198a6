// Package summary has functions that do something to API objects which they
// are given. Each says what, parameter by parameter; one that says nothing
// leaves them alone.
package summary

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/passes/summary/lib"
)

// Changes in memory.

// want b: mutates Status.Phase
func field(b *v1.Backup) { b.Status.Phase = v1.BackupRunning }

// want b: mutates Status.Volumes.[].Done
func nested(b *v1.Backup) { b.Status.Volumes[0].Done = true }

// want b: mutates Status.Targets.[]
func mapEntry(b *v1.Backup) { b.Status.Targets["a"] = "b" }

// want b: mutates Status.Targets.[]
func mapDelete(b *v1.Backup) { delete(b.Status.Targets, "a") }

// want c: mutates Status.Ready
func throughPointer(c *v1.Cluster) { c.Status.Ready = true }

// want b: mutates Status.Message
func throughAlias(b *v1.Backup) {
	status := &b.Status
	status.Message = "x"
}

// want b: mutates Status.Conditions
func conditionHelper(b *v1.Backup) {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: "Ready"})
}

// want b: mutates Status.Message, Status.Phase
func setter(b *v1.Backup) { b.MarkFailed("x") }

// want b: mutates Spec.Paused, Status.Phase
func two(b *v1.Backup) {
	b.Spec.Paused = true
	b.Status.Phase = v1.BackupFailed
}

// want b: mutates ObjectMeta.Finalizers
func finalizer(b *v1.Backup) { controllerutil.AddFinalizer(b, v1.Finalizer) }

// want obj: mutates ObjectMeta.Labels
func untyped(obj client.Object) { obj.SetLabels(map[string]string{"a": "b"}) }

// want obj: mutates Status.Phase
func asserted(obj client.Object) {
	if b, ok := obj.(*v1.Backup); ok {
		b.Status.Phase = v1.BackupFailed
	}
}

// want obj: mutates Status.Phase
func fromAny(obj any) {
	obj.(*v1.Backup).Status.Phase = v1.BackupFailed
}

// want obj: mutates Status.Phase
func fromAccessor(obj metav1.Object) {
	switch obj := obj.(type) {
	case *v1.Backup:
		obj.Status.Phase = v1.BackupFailed
	case *corev1.Pod:
		obj.Status.Phase = corev1.PodFailed
	}
}

// want obj: mutates ObjectMeta.Annotations
func fromT[T client.Object](obj T) { obj.SetAnnotations(map[string]string{"a": "b"}) }

// want status: mutates Phase
func partOnly(status *v1.BackupStatus) { status.Phase = v1.BackupFailed }

// want b: mutates Status.Phase
func part(b *v1.Backup) { partOnly(&b.Status) }

// want s: mutates backup.Status.Phase
func (s *scope) phase() { s.backup.Status.Phase = v1.BackupFailed }

// want s: mutates cluster.Spec.Paused
func (s *scope) pause() { s.cluster.Spec.Paused = true }

type scope struct {
	client  client.Client
	backup  *v1.Backup
	cluster *v1.Cluster
}

// want list: mutates Items.[].Status.Phase
func items(list *v1.BackupList) {
	for i := range list.Items {
		list.Items[i].Status.Phase = v1.BackupFailed
	}
}

// want b: mutates Status.Phase
func recursive(b *v1.Backup, n int) {
	if n == 0 {
		b.Status.Phase = v1.BackupFailed
		return
	}
	recursive(b, n-1)
}

// want b: mutates Status.Phase
func even(b *v1.Backup, n int) {
	if n > 0 {
		odd(b, n-1)
	}
}

// want b: mutates Status.Phase
func odd(b *v1.Backup, n int) {
	b.Status.Phase = v1.BackupFailed
	even(b, n-1)
}

// want b: mutates Status.Phase
func inClosure(b *v1.Backup) { func() { b.Status.Phase = v1.BackupFailed }() }

// want b: mutates Status.Phase
func inDeferredClosure(b *v1.Backup) { defer func() { b.Status.Phase = v1.BackupFailed }() }

// want b: mutates Status.Phase
func inDeferredCall(b *v1.Backup) { defer field2(b) }

// want b: mutates Status.Phase
func field2(b *v1.Backup) { b.Status.Phase = v1.BackupRunning }

// want b: mutates Status.Phase; hands off
func methodValue(b *v1.Backup) {
	set := b.SetConditions
	_ = set
	field(b)
}

// Nothing is done to the parameter.

func reads(b *v1.Backup) string { return fmt.Sprint(b.Status.Phase, b.GetName()) }

func onlyACopy(b *v1.Backup) string {
	sent := b.DeepCopy()
	sent.Status.Phase = v1.BackupFailed
	return sent.Name
}

func onlyAValueCopy(b *v1.Backup) string {
	sent := *b
	sent.Status.Phase = v1.BackupFailed
	return sent.Name
}

func byValue(b v1.Backup) string {
	b.Status.Phase = v1.BackupFailed
	return b.Name
}

// A copy of the status may be kept.
//
// want b: hands off
func statusCopy(b *v1.Backup) v1.BackupPhase {
	status := b.Status
	status.Phase = v1.BackupFailed
	return status.Phase
}

func another(b *v1.Backup) string {
	other := &v1.Backup{}
	other.Status.Phase = b.Status.Phase
	return string(other.Status.Phase)
}

func reassigned(b *v1.Backup) string {
	b = b.DeepCopy()
	b.Status.Phase = v1.BackupFailed
	return b.Name
}

func marshalled(b *v1.Backup) ([]byte, error) { return json.Marshal(b) }

// Blanking is no change that anybody wants stored.
func blanked(b *v1.Backup) {
	b.Status = v1.BackupStatus{}
	b.Status.Conditions = nil
}

// Writes.

type reconciler struct {
	client.Client
	save func(ctx context.Context, b *v1.Backup) error
}

// want b: Update main in memory
func (r *reconciler) update(ctx context.Context, b *v1.Backup) error { return r.Update(ctx, b) }

// want b: Update main in memory; Update status in memory
func (r *reconciler) both(ctx context.Context, b *v1.Backup) error {
	if err := r.update(ctx, b); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

// want b: Update main in memory
func (r *reconciler) thinWrapper(ctx context.Context, b *v1.Backup) error {
	return lib.Save(ctx, r.Client, b)
}

// want b: Update status in memory
func (r *reconciler) generic(ctx context.Context, b *v1.Backup) error {
	return lib.SaveStatus(ctx, r.Client, b)
}

// want r: mutates save; hands off
func (r *reconciler) setup() { r.save = r.update }

// want b: Update main in memory
func (r *reconciler) storedFunction(ctx context.Context, b *v1.Backup) error { return r.save(ctx, b) }

// A helper that writes both endpoints of an object writes what has changed.
//
// want b: Update main in memory; Update main|status in memory
// want r: hands off
func (r *reconciler) oneOfTwoMethods(ctx context.Context, b *v1.Backup, all bool) error {
	save := r.update
	if all {
		save = r.both
	}
	return save(ctx, b)
}

// want b: Update status in memory
func (r *reconciler) boundMethod(ctx context.Context, b *v1.Backup) error {
	save := r.Status().Update
	return save(ctx, b)
}

// want b: Update main in memory
// want r: hands off
func (r *reconciler) ownBoundMethod(ctx context.Context, b *v1.Backup) error {
	save := r.update
	return save(ctx, b)
}

// want b: Update main in memory
func methodExpression(ctx context.Context, r *reconciler, b *v1.Backup) error {
	save := (*reconciler).update
	return save(r, ctx, b)
}

// want b: Update status in memory
func (r *reconciler) persisted(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

// want b: mutates Status.Phase; Update status in memory
func (r *reconciler) sometimesPersisted(ctx context.Context, b *v1.Backup, now bool) error {
	b.Status.Phase = v1.BackupRunning
	if !now {
		return nil
	}
	return r.Status().Update(ctx, b)
}

// want b: Update main in memory
func (r *reconciler) overwritten(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b)
}

// want b: mutates Spec.Paused; Update main in memory
func (r *reconciler) written(ctx context.Context, b *v1.Backup) error {
	err := r.Update(ctx, b)
	b.Spec.Paused = true
	return err
}

// want b: mutates Status.Phase; Update main
func (r *reconciler) throughCopy(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b.DeepCopy())
}

// want b: Update status in memory
func (r *reconciler) deferred(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if err == nil {
			err = r.Status().Update(ctx, b)
		}
	}()
	b.Status.Phase = v1.BackupRunning
	return nil
}

// want b: refreshes; Update status in memory
func (r *reconciler) retried(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupRunning
		return r.Status().Update(ctx, b)
	})
}

// want b: refreshes; Patch main|status in memory
func (r *reconciler) createOrPatch(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, b, func() error {
		b.Status.Phase = v1.BackupRunning
		return nil
	})
	return err
}

// want b: refreshes; Update main in memory
func (r *reconciler) createOrUpdate(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error {
		b.Spec.Paused = true
		return nil
	})
	return err
}

// want s: Update main in memory of backup
func (s *scope) store(ctx context.Context) error { return s.client.Update(ctx, s.backup) }

// want s: mutates backup.Status.Phase; Update main in memory of cluster
func (s *scope) storeOther(ctx context.Context) error {
	s.backup.Status.Phase = v1.BackupFailed
	return s.client.Update(ctx, s.cluster)
}

// want b: refreshes
func (r *reconciler) read(ctx context.Context, b *v1.Backup) error {
	return r.Get(ctx, client.ObjectKey{Name: "x"}, b)
}

// want c: Update status in memory
func (r *reconciler) cluster(ctx context.Context, c *v1.Cluster) error {
	return lib.Store(ctx, r.Client, c)
}

// Out of sight.

var keep *v1.Backup

// want b: hands off
func kept(b *v1.Backup) { keep = b }

// want b: hands off
func sent(b *v1.Backup, to chan *v1.Backup) { to <- b }

// want b: hands off
func inGoroutine(b *v1.Backup) { go reads(b) }

// want b: hands off
func inGoroutineClosure(b *v1.Backup) { go func() { b.Status.Phase = v1.BackupFailed }() }

type observer interface{ Observe(b *v1.Backup) }

// want b: hands off
// want o: hands off
func toInterface(o observer, b *v1.Backup) { o.Observe(b) }

// want b: hands off
// want f: calls
func toFunction(f func(*v1.Backup), b *v1.Backup) { f(b) }

// want f: calls
func runs(f func()) { f() }

func mayRunLater(f func()) { go f() }

// What literals do that a helper runs.

// want b: hands off
func litRun(b *v1.Backup) { runLater(func() { b.Status.Phase = v1.BackupFailed }) }

var later []func()

func runLater(f func()) { later = append(later, f) }

// Results.

// want result 0: b
func returns(b *v1.Backup) *v1.Backup { return b }

// want result 0: b
// want b: mutates Status.Phase
func fluent(b *v1.Backup) *v1.Backup {
	b.Status.Phase = v1.BackupFailed
	return b
}

// want b: mutates Status.Phase
func chained(b *v1.Backup) { returns(b).Status.Phase = v1.BackupFailed }

// want result 1: b
func second(b *v1.Backup) (error, *v1.Backup) { return nil, b }

func oneOf(a, b *v1.Backup) *v1.Backup {
	if a.Name != "" {
		return a
	}
	return b
}

func part2(s *scope) *v1.Backup { return s.backup }

// want result 0: fresh ObjectMeta, Status.Phase
func makes() *v1.Backup {
	b := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: "x"}}
	b.Status.Phase = v1.BackupPending
	return b
}

// Across packages.

// want b: mutates Status.Phase
func acrossPackages(b *v1.Backup) { lib.SetPhase(b, v1.BackupFailed) }

// want b: mutates Status.Phase
func acrossPackagesAsValue(b *v1.Backup) {
	set := lib.SetPhase
	set(b, v1.BackupFailed)
}

// want b: mutates ObjectMeta.Finalizers, Status.Phase
func acrossPackagesResult(b *v1.Backup) { lib.Finalized(b).Status.Phase = v1.BackupFailed }

func acrossPackagesLeft(b *v1.Backup) string { return lib.Leave(b) }

// An interface of the package with one implementation runs that.

type persister interface {
	persist(ctx context.Context, b *v1.Backup) error
}

type only struct{ c client.Client }

// want b: Update status in memory
func (o *only) persist(ctx context.Context, b *v1.Backup) error { return o.c.Status().Update(ctx, b) }

// want b: Update status in memory
func throughInterface(ctx context.Context, p persister, b *v1.Backup) error {
	return p.persist(ctx, b)
}

// A business method with a client's name is no write.

type service struct{ names []string }

// want s: mutates names
func (s *service) Update(b *v1.Backup) error {
	s.names = append(s.names, b.Name)
	return nil
}

// want s: mutates names
func business(s *service, b *v1.Backup) error { return s.Update(b) }
