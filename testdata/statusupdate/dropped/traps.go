package dropped

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
	"github.com/opvet/opvet/testdata/statusupdate/helpers/patch"
)

// Code that looks like the mistake and is right.

func (r *reconciler) updateThenStatus(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) statusThenUpdate(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) savedAndRestored(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	status := b.Status.DeepCopy()
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status = *status
	return r.Status().Update(ctx, b)
}

// A kind without the subresource: Update stores its status.
func (r *reconciler) withoutSubresource(ctx context.Context, s *v1.Schedule) error {
	s.Status.Phase = "Enabled"
	return r.Update(ctx, s)
}

func (r *reconciler) withoutSubresourcePatched(ctx context.Context, key client.ObjectKey) (err error) {
	var s v1.Schedule
	if err := r.Get(ctx, key, &s); err != nil {
		return client.IgnoreNotFound(err)
	}
	original := s.DeepCopy()
	defer func() {
		if patchErr := r.Patch(ctx, &s, client.MergeFrom(original)); patchErr != nil {
			err = patchErr
		}
	}()
	if s.Spec.Cron == "" {
		s.Status.Phase = "FailedValidation"
		return nil
	}
	s.Status.Phase = "Enabled"
	return nil
}

func (r *reconciler) withoutSubresourceCreated(ctx context.Context, namespace string) error {
	s := &v1.Schedule{Status: v1.ScheduleStatus{Phase: "New"}}
	s.Namespace = namespace
	return r.Create(ctx, s)
}

// A kind that is nothing but a status, written by one process for another.
func (r *reconciler) statusCarrier(ctx context.Context, key client.ObjectKey, failures []string) error {
	report := &v1.NodeReport{}
	err := r.apiReader.Get(ctx, key, report)
	switch {
	case err == nil:
		report.Status.Errors = failures
		return r.Update(ctx, report)
	case apierrors.IsNotFound(err):
		report.Name, report.Namespace = key.Name, key.Namespace
		report.Status.Errors = failures
		return r.Create(ctx, report)
	default:
		return err
	}
}

// scope holds what one reconcile works on: more than one object.
type scope struct {
	client  client.Client
	Backup  *v1.Backup
	Cluster *v1.Cluster
	patch   *patch.Helper
}

func (s *scope) anotherObjectOfTheSameRoot(ctx context.Context) error {
	s.Backup.Status.Phase = v1.BackupRunning
	s.Cluster.Spec.Paused = true
	if err := s.client.Update(ctx, s.Cluster); err != nil {
		return err
	}
	return s.client.Status().Update(ctx, s.Backup)
}

func (s *scope) patchHelperInAField(ctx context.Context) (err error) {
	defer func() {
		if patchErr := s.patch.Patch(ctx, s.Backup); patchErr != nil {
			err = patchErr
		}
	}()
	s.Backup.Status.Phase = v1.BackupRunning
	s.Backup.Spec.Paused = false
	return nil
}

func (r *reconciler) deferredPatchHelper(ctx context.Context, key client.ObjectKey) (err error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	helper, err := patch.NewHelper(b, r.Client)
	if err != nil {
		return err
	}
	defer func() {
		if patchErr := helper.Patch(ctx, b); patchErr != nil && err == nil {
			err = patchErr
		}
	}()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	b.SetCondition(helpers.Ready("Started"))
	return nil
}

func (r *reconciler) createOrPatch(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, b, func() error {
		b.Spec.Source = "/data"
		b.Status.Phase = v1.BackupPending
		return nil
	})
	return err
}

func (r *reconciler) createOrUpdateThenStatus(ctx context.Context, b *v1.Backup) error {
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error {
		b.Spec.Source = "/data"
		return nil
	}); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupPending
	return r.Status().Update(ctx, b)
}

func (r *reconciler) statusWriterInAnotherPackage(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	return helpers.UpdateStatus(ctx, r.Client, b)
}

func (r *reconciler) writerOfBothInAnotherPackage(ctx context.Context, b *v1.Backup) error {
	b.Spec.Paused = true
	b.Status.Phase = v1.BackupPending
	return helpers.SaveAll(ctx, r.Client, b)
}

// bothClient is a wrapper whose Update stores the status, too.
type bothClient struct{ client.Client }

func (c bothClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	sent := obj.DeepCopyObject().(client.Object)
	if err := c.Client.Update(ctx, sent, opts...); err != nil {
		return err
	}
	obj.SetResourceVersion(sent.GetResourceVersion())
	return c.Client.Status().Update(ctx, obj)
}

func wrapperThatWritesBoth(ctx context.Context, c bothClient, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return c.Update(ctx, b)
}

// history is no client, although its method looks like one's.
type history struct{ phases map[string]v1.BackupPhase }

func (h *history) Update(_ context.Context, b *v1.Backup) error {
	h.phases[b.Name] = b.Status.Phase
	return nil
}

func (r *reconciler) updateOfSomethingElse(ctx context.Context, h *history, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := h.Update(ctx, b); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

// Only a kind that is served without the subresource answers NotFound.
func (r *reconciler) fallbackOnNotFound(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	err := r.Status().Update(ctx, b)
	if apierrors.IsNotFound(err) {
		err = r.Update(ctx, b)
	}
	return err
}

func (r *reconciler) fallbackOnNotFoundNested(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	if err := r.Status().Update(ctx, b); err != nil {
		if !apierrors.IsNotFound(err) {
			return err
		}
		return r.Update(ctx, b)
	}
	return nil
}

// The spec of the copy is blanked, because only the status is sent.
func (r *reconciler) blankedSpec(ctx context.Context, b *v1.Backup, status v1.BackupStatus) error {
	if reflect.DeepEqual(b.Status, status) {
		return nil
	}
	sent := b.DeepCopy()
	sent.Spec = v1.BackupSpec{}
	sent.Status = status
	return helpers.UpdateStatus(ctx, r.Client, sent)
}

func (r *reconciler) copyForEachEndpoint(ctx context.Context, b *v1.Backup) error {
	sent := b.DeepCopy()
	sent.Spec.Paused = true
	if err := r.Update(ctx, sent); err != nil {
		return err
	}
	b.ResourceVersion = sent.ResourceVersion
	b.Status.Phase = v1.BackupPending
	return r.Status().Update(ctx, b)
}

// What goes to the main endpoint was copied before the status was set.
func (r *reconciler) copyFromBefore(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	before.Spec.Paused = false
	if err := r.Update(ctx, before); err != nil {
		return err
	}
	b.ResourceVersion = before.ResourceVersion
	return r.Status().Update(ctx, b)
}

// The status is set on a path that returns; the caller stores it.
func (r *reconciler) toggle(ctx context.Context, b *v1.Backup) error {
	if len(b.Status.Conditions) == 0 {
		b.SetCondition(helpers.Ready("Initialised"))
		return nil
	}
	base := client.MergeFrom(b.DeepCopy())
	b.Spec.Paused = !b.Spec.Paused
	return r.Patch(ctx, b.DeepCopy(), base)
}

func (r *reconciler) callerStoresTheStatus(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if storeErr := helpers.StoreStatus(ctx, r.Client, client.ObjectKeyFromObject(b), b.Status); storeErr != nil {
			err = storeErr
		}
	}()
	return r.toggle(ctx, b)
}

// The copy takes the answer; the status goes out on the newest version.
func (r *reconciler) patchCopyThenStatusOnTheLatest(ctx context.Context, b *v1.Backup) error {
	base := client.MergeFrom(b.DeepCopy())
	b.Spec.Source = "/new"
	if err := r.Patch(ctx, b.DeepCopy(), base); err != nil {
		return err
	}
	b.Status.Message = "moved"
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), latest); err != nil {
			return err
		}
		latest.Status = b.Status
		return r.Status().Update(ctx, latest)
	})
}

// One pass writes the one, another pass the other.
func (r *reconciler) separatePasses(ctx context.Context, svc *corev1.Service, ip, pool string) error {
	if setIngress(svc, ip) {
		return r.Status().Update(ctx, svc)
	}
	if setPool(svc, pool) {
		return r.Update(ctx, svc)
	}
	return nil
}

func (r *reconciler) twoMergePatches(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	b.Spec.Paused = false
	b.Status.Phase = v1.BackupRunning
	if err := r.Patch(ctx, b.DeepCopy(), client.MergeFrom(base)); err != nil {
		return err
	}
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

// A clone starts without the status of its original.
func (r *reconciler) clone(ctx context.Context, b *v1.Backup, name string) error {
	clone := b.DeepCopy()
	clone.ObjectMeta.Reset()
	clone.Name, clone.Namespace = name, b.Namespace
	clone.Status = v1.BackupStatus{}
	return r.Create(ctx, clone)
}

func (r *reconciler) clusterClone(ctx context.Context, c *v1.Cluster, name string) error {
	clone := &v1.Cluster{Spec: c.Spec}
	clone.Name = name
	clone.Status = nil
	return r.Create(ctx, clone)
}

func (r *reconciler) createThenStatus(ctx context.Context, name string) error {
	b := &v1.Backup{Spec: v1.BackupSpec{Source: "/data"}}
	b.Name = name
	if err := r.Create(ctx, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupPending
	return r.Status().Update(ctx, b)
}

// The status is only read.
func (r *reconciler) readsTheStatus(ctx context.Context, b *v1.Backup) error {
	if b.Status.Phase != v1.BackupCompleted {
		return nil
	}
	status := b.Status
	status.Conditions = nil
	b.Annotations["example.opvet.dev/last"] = string(status.Phase)
	return r.Update(ctx, b)
}

// Both are written, each when it has changed.
func (r *reconciler) writesWhatChanged(ctx context.Context, b *v1.Backup) error {
	old := b.DeepCopy()
	b.Default()
	if !reflect.DeepEqual(old.Spec, b.Spec) {
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	b.Status.ObservedGeneration = b.Generation
	if reflect.DeepEqual(old.Status, b.Status) {
		return nil
	}
	return r.Status().Patch(ctx, b, client.MergeFrom(old))
}

func (r *reconciler) subresourceByName(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.SubResource("status").Update(ctx, b)
}

func (r *reconciler) statusWriterInAVariable(ctx context.Context, b *v1.Backup) error {
	status := r.Status()
	b.Status.Phase = v1.BackupRunning
	return status.Update(ctx, b)
}

// statusStore is an interface of this code's own, over the status writer.
type statusStore interface {
	Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error
}

func ownStatusInterface(ctx context.Context, s statusStore, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return s.Update(ctx, b)
}

func (r *reconciler) ownStatusInterfaceUsed(ctx context.Context, b *v1.Backup) error {
	return ownStatusInterface(ctx, r.Status(), b)
}

func (r *reconciler) genericStatusHelper(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return saveStatus(ctx, r.Client, b)
}

func saveStatus[T client.Object](ctx context.Context, c client.StatusClient, obj T) error {
	return c.Status().Update(ctx, obj)
}

func (r *reconciler) statusMethodValue(ctx context.Context, b *v1.Backup) error {
	update := r.Status().Update
	b.Status.Phase = v1.BackupRunning
	return update(ctx, b)
}

func (r *reconciler) refetchedBeforeUpdate(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
		return err
	}
	b.Labels["phase"] = string(b.Status.Phase)
	return r.Update(ctx, b)
}

// A dry run is not meant to store anything.
func (r *reconciler) dryRun(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupPending
	if err := r.Update(ctx, b.DeepCopy(), client.DryRunAll); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) deferredStatusCall(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	defer r.saveStatusOrPanic(ctx, b)
	b.Status.Phase = v1.BackupRunning
	return nil
}

func (r *reconciler) saveStatusOrPanic(ctx context.Context, b *v1.Backup) {
	if err := r.Status().Update(ctx, b); err != nil {
		panic(err)
	}
}

// A Node is registered with its status.
func register(ctx context.Context, c client.Client, node *corev1.Node) error {
	node.Status.NodeInfo.KubeletVersion = "v1.37.0"
	return c.Create(ctx, node)
}

// A literal tries the endpoint of the status, and another one the main endpoint.
func (r *reconciler) fallbackByLiterals(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	first := func() error { return r.Status().Update(ctx, b) }
	second := func() error { return r.Update(ctx, b) }
	err := first()
	if apierrors.IsNotFound(err) {
		err = second()
	}
	return err
}

// Literals in literals do so.
func (r *reconciler) fallbackByNestedLiterals(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	first := func() error {
		write := func() error { return r.Status().Update(ctx, b) }
		return write()
	}
	second := func() error { return r.Update(ctx, b) }
	err := first()
	if apierrors.IsNotFound(err) {
		err = second()
	}
	return err
}

// An attempt begins with the update, whatever came of the one before.
func (r *reconciler) keptOverTheUpdate(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b := &v1.Backup{}
		if err := r.Get(ctx, key, b); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupCompleted
		wanted := b.Status.DeepCopy()
		if b.Annotations["example.com/seen"] == "" {
			b.Annotations = map[string]string{"example.com/seen": "true"}
			if err := r.Update(ctx, b); err != nil {
				return err
			}
			b.Status = *wanted
		}
		return r.Status().Update(ctx, b)
	})
}
