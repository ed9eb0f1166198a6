package dropped

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

// A field, and the client that is embedded in the reconciler.
func (r *reconciler) start(ctx context.Context, b *v1.Backup) error {
	now := metav1.Now()
	b.Status.Phase = v1.BackupRunning
	b.Status.StartTime = &now
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) throughTheEmbeddedField(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := r.Client.Get(ctx, key, &b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	if err := r.Client.Update(ctx, &b); err != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
		return fmt.Errorf("updating backup %s: %w", key, err)
	}
	return nil
}

func (c *controller) clientInAField(ctx context.Context, b *backup) error {
	b.Status.ObservedGeneration = b.Generation
	return c.kube.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) nestedField(ctx context.Context, b *v1.Backup, volume string) error {
	for i := range b.Status.Volumes {
		if b.Status.Volumes[i].Name == volume {
			b.Status.Volumes[i].Done = true
		}
	}
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) mapEntry(ctx context.Context, b *v1.Backup, target, state string) error {
	if b.Status.Targets == nil {
		b.Status.Targets = make(map[string]string)
	}
	b.Status.Targets[target] = state
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) conditionHelper(ctx context.Context, b *v1.Backup) error {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
		Type:   "Ready",
		Status: metav1.ConditionTrue,
		Reason: "BackupDone",
	})
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) setterOfTheObject(ctx context.Context, b *v1.Backup, cause error) error {
	b.MarkFailed(cause.Error())
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) setterOfTheStatus(ctx context.Context, b *v1.Backup) error {
	b.Status.SetCondition(helpers.Ready("Done"))
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) pointerIntoTheStatus(ctx context.Context, b *v1.Backup) error {
	status := &b.Status
	status.Phase = v1.BackupCompleted
	status.Message = "all volumes are stored"
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) statusBehindAPointer(ctx context.Context, c *v1.Cluster) error {
	if c.Status == nil {
		c.Status = &v1.ClusterStatus{}
	}
	c.Status.Ready = true
	return r.Update(ctx, c) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// Two helpers, one for the metadata and one for the status, and one write.
func (r *reconciler) syncService(ctx context.Context, svc *corev1.Service, ip, pool string) error {
	poolChanged := setPool(svc, pool)
	ipChanged := setIngress(svc, ip)
	if !poolChanged && !ipChanged {
		return nil
	}
	return r.Update(ctx, svc) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func setPool(svc *corev1.Service, pool string) bool {
	if svc.Labels["pool"] == pool {
		return false
	}
	if svc.Labels == nil {
		svc.Labels = make(map[string]string)
	}
	svc.Labels["pool"] = pool
	return true
}

func setIngress(svc *corev1.Service, ip string) bool {
	if len(svc.Status.LoadBalancer.Ingress) == 1 && svc.Status.LoadBalancer.Ingress[0].IP == ip {
		return false
	}
	svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: ip}}
	return true
}

func (r *reconciler) helperInAnotherPackage(ctx context.Context, b *v1.Backup) error {
	helpers.SetReady(b)
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) helperThatGetsTheStatus(ctx context.Context, b *v1.Backup) error {
	helpers.MarkStatus(&b.Status, v1.BackupRunning)
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) builtinThroughAHelperElsewhere(ctx context.Context, svc *corev1.Service, ip string) error {
	if !helpers.SetIngress(svc, ip) {
		return nil
	}
	return r.Update(ctx, svc) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// The object comes as any and is replaced by its copy.
func (r *reconciler) UpdateJobStatus(ctx context.Context, job any, status *v1.BackupStatus) error {
	b, ok := job.(*v1.Backup)
	if !ok {
		return fmt.Errorf("%T is not a backup", job)
	}
	if b.Status.Phase != status.Phase {
		b = b.DeepCopy()
		b.Status = *status.DeepCopy()
	}
	if err := r.Update(ctx, b); err != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
		return fmt.Errorf("updating the status: %w", err)
	}
	return nil
}

func (r *reconciler) onTheDeepCopy(ctx context.Context, cached *v1.Backup) error {
	updated := cached.DeepCopy()
	updated.Status.Phase = v1.BackupCompleted
	return r.Update(ctx, updated) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) onlyOneBranchSetsStatus(ctx context.Context, b *v1.Backup, failed error) error {
	if failed != nil {
		b.Status.Phase = v1.BackupFailed
	}
	if b.Annotations == nil {
		b.Annotations = make(map[string]string)
	}
	b.Annotations["example.opvet.dev/seen"] = "true"
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) onlyOnePathUsesTheStatusEndpoint(ctx context.Context, b *v1.Backup, done bool) error {
	if done {
		b.Status.Phase = v1.BackupCompleted
		return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) everyItemOfAList(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		list.Items[i].Status.Phase = v1.BackupPending
		if err := r.Update(ctx, &list.Items[i]); err != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
			return err
		}
	}
	return nil
}

func (r *reconciler) rangeOverAList(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for _, b := range list.Items {
		b.Status.Phase = v1.BackupPending
		if err := r.Update(ctx, &b); err != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
			return err
		}
	}
	return nil
}

// The status that is written belongs to another object.
func (r *reconciler) statusOfAnotherObjectIsWritten(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.Update(ctx, b); err != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
		return err
	}
	c.Status = &v1.ClusterStatus{Ready: true}
	return r.Status().Update(ctx, c)
}

// Any error of the status endpoint ends in a write that drops the status and
// reports success.
func (r *reconciler) fallbackOnAnyError(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	err := r.Status().Update(ctx, b)
	if err != nil {
		if err := r.Update(ctx, b); err != nil { // want `^hygiene: .*dropped.*\(statusupdate/dropped-by-update\)`
			return fmt.Errorf("sending the update: %w", err)
		}
	}
	return nil
}

// The update stores an annotation as well: it is due anyhow, and the next round sets the status again.
func (r *reconciler) fallbackThatStoresAnnotationsToo(ctx context.Context, b *v1.Backup) error {
	if b.Annotations == nil {
		b.Annotations = make(map[string]string)
	}
	b.Annotations["example.com/seen"] = "true"
	b.Status.Phase = v1.BackupCompleted
	if err := r.Status().Update(ctx, b); err != nil {
		return r.Update(ctx, b) // want `^hygiene: .*dropped.*\(statusupdate/dropped-by-update\)`
	}
	return nil
}

// The status is set once more on that way.
func (r *reconciler) fallbackThatSetsItAgain(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	if err := r.Status().Update(ctx, b); err != nil {
		b.Status.Message = err.Error()
		return r.Update(ctx, b) // want `^hygiene: .*dropped.*\(statusupdate/dropped-by-update\)`
	}
	return nil
}

// The object is read again: then a conflict is enough.
func (r *reconciler) fallbackOnAFreshOne(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	if err := r.Status().Update(ctx, b); err != nil {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupCompleted
		return r.Update(ctx, b) // want `^loss: .*dropped.*\(statusupdate/dropped-by-update\)`
	}
	return nil
}

// What comes after a status write that has not failed is no fallback.
func (r *reconciler) updatedAfterwards(ctx context.Context, b *v1.Backup) error {
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupCompleted
	return r.Update(ctx, b) // want `^loss: .*dropped.*\(statusupdate/dropped-by-update\)`
}

// In a method that has the object in a struct.
type run struct {
	client client.Client
	backup *v1.Backup
}

func (r *run) finish(ctx context.Context) error {
	r.backup.Status.Phase = v1.BackupCompleted
	return r.client.Update(ctx, r.backup) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) createdWithAStatus(ctx context.Context, name, namespace string) error {
	b := &v1.Backup{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec:       v1.BackupSpec{Source: "/data"},
		Status:     v1.BackupStatus{Phase: v1.BackupPending},
	}
	return r.Create(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) createdFromAConstructor(ctx context.Context, name string) error {
	return r.Create(ctx, newBackup(name)) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func newBackup(name string) *v1.Backup {
	b := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	b.Status.Phase = v1.BackupPending
	return b
}

func (r *reconciler) deploymentMarkedByHand(ctx context.Context, d *appsv1.Deployment) error {
	d.Status.Conditions = append(d.Status.Conditions, appsv1.DeploymentCondition{
		Type:   appsv1.DeploymentReplicaFailure,
		Status: corev1.ConditionTrue,
	})
	return r.Update(ctx, d) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// Once the object has its finalizer, nothing stores the status at all.
func (r *reconciler) onlyForFinalizer(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		b.Finalizers = append(b.Finalizers, v1.Finalizer)
		return r.Update(ctx, b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
	}
	return nil
}

// The update is made each time, whatever became of the finalizer.
func (r *reconciler) putsOnFirst(ctx context.Context, b *v1.Backup) error {
	if err := r.putOn(ctx, b); err != nil {
		return err
	}
	if b.Spec.Paused {
		return r.Status().Update(ctx, b)
	}
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) putOn(ctx context.Context, b *v1.Backup) error {
	if controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		return nil
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// It has another finalizer, as it will have next time.
func (r *reconciler) hasAnother(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if b.Spec.Paused {
		return r.Status().Update(ctx, b)
	}
	if controllerutil.ContainsFinalizer(b, "example.com/other") {
		b.Status.Phase = v1.BackupRunning
		return r.Update(ctx, b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
	}
	return nil
}

func (r *reconciler) counts(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if b.Spec.Paused {
		return r.Status().Update(ctx, b)
	}
	if err := hasFew(b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
}

func hasFew(b *v1.Backup) error {
	if len(b.Finalizers) > 10 {
		return errors.New("too many finalizers")
	}
	return nil
}
