package cases

import (
	"context"
	"errors"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/semanticequal/cases/made"
)

// The program is seen to set quantities, or to take over what a user wrote.

func (r *reconciler) summedUp(ctx context.Context, key client.ObjectKey, pods []corev1.Pod) error {
	quota := &corev1.ResourceQuota{}
	if err := r.Get(ctx, key, quota); err != nil {
		return err
	}
	used := &corev1.ResourceQuota{Status: usage(pods)}
	if reflect.DeepEqual(quota.Status, used.Status) { // want `load: .*semanticequal/quantity`
		return nil
	}
	quota.Status = used.Status
	return r.Status().Update(ctx, quota)
}

func usage(pods []corev1.Pod) corev1.ResourceQuotaStatus {
	status := corev1.ResourceQuotaStatus{Used: corev1.ResourceList{}}
	for i := range pods {
		total := status.Used["cpu"]
		total.Add(pods[i].Spec.Containers[0].Resources.Requests["cpu"])
		status.Used["cpu"] = total
	}
	return status
}

// The sum is handed to a function whose literal compares it.
func (r *reconciler) summedUpByCaller(ctx context.Context, key client.ObjectKey, pods []corev1.Pod) error {
	used := &corev1.ResourceQuota{Status: usage(pods)}
	return r.storeUsage(ctx, key, used.Status)
}

func (r *reconciler) storeUsage(ctx context.Context, key client.ObjectKey, used corev1.ResourceQuotaStatus) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		quota := &corev1.ResourceQuota{}
		if err := r.Get(ctx, key, quota); err != nil {
			return err
		}
		if reflect.DeepEqual(quota.Status, used) { // want `semanticequal/quantity`
			return nil
		}
		quota.Status = used
		return r.Status().Update(ctx, quota)
	})
}

func (r *reconciler) templateOfTheUser(ctx context.Context, key client.ObjectKey, given *appsv1.StatefulSet) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: given.Spec.Template}}
	if !reflect.DeepEqual(found.Spec, want.Spec) { // want `hygiene: .*semanticequal/quantity`
		found.Spec = want.Spec
		return r.Update(ctx, found)
	}
	return nil
}

func (r *reconciler) parsed(ctx context.Context, key client.ObjectKey) error {
	found := &corev1.PersistentVolumeClaim{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := &corev1.PersistentVolumeClaim{}
	want.Spec.Resources.Requests = corev1.ResourceList{"storage": resource.MustParse("1024Mi")}
	if !reflect.DeepEqual(found.Spec, want.Spec) { // want `semanticequal/quantity`
		return r.Create(ctx, want)
	}
	return nil
}

// The type could have a quantity, and none is set.

func (r *reconciler) noneIsSet(ctx context.Context, key client.ObjectKey) error {
	found := &autoscalingv2.HorizontalPodAutoscaler{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 3}}
	if !reflect.DeepEqual(found.Spec, want.Spec) {
		found.Spec = want.Spec
		return r.Update(ctx, found)
	}
	return nil
}

// options are copied as a whole from one object of the operator's to another.
type options struct {
	Deployments map[string]appsv1.Deployment
}

func (r *reconciler) copiedOptions(ctx context.Context, key client.ObjectKey, given *options) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := &appsv1.Deployment{}
	want.Spec.Strategy = given.Deployments["main"].Spec.Strategy
	if !reflect.DeepEqual(found.Spec, want.Spec) {
		found.Spec = want.Spec
		return r.Update(ctx, found)
	}
	return nil
}

// What is desired depends on settings.

func (r *reconciler) settings(ctx context.Context, key client.ObjectKey, given struct {
	nodeSelector map[string]string
	tolerations  []corev1.Toleration
}) error {
	want := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		NodeSelector: given.nodeSelector, Tolerations: given.tolerations,
	}}}}
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	if !equality.Semantic.DeepDerivative(want.Spec.Template.Spec, found.Spec.Template.Spec) { // want `semanticequal/derivative`
		return r.Update(ctx, want)
	}
	return nil
}

func matches(backup *v1.Backup, found *appsv1.StatefulSet) bool {
	want := made.For(backup)
	return equality.Semantic.DeepDerivative(want.Spec, found.Spec) // want `semanticequal/derivative`
}

// Another package writes it out: nothing is ever missing.

func (r *reconciler) fixed(ctx context.Context, backup *v1.Backup) error {
	want, found := made.Fixed(backup), &appsv1.StatefulSet{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(backup), found); err != nil {
		return err
	}
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) {
		return r.Update(ctx, want)
	}
	return nil
}

func (r *reconciler) unlessMatching(ctx context.Context, backup *v1.Backup) error {
	found := &appsv1.StatefulSet{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(backup), found); err != nil {
		return err
	}
	if !matches(backup, found) {
		return r.Update(ctx, made.For(backup))
	}
	return nil
}

// It is written out: nothing is removed but by another version of the program.

func (r *reconciler) constants(ctx context.Context, key client.ObjectKey, second bool) error {
	name := "metrics"
	if second {
		name = "metrics-second"
	}
	want := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: key.Namespace},
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": name},
			Ports:    []corev1.ServicePort{{Name: "metrics", Port: 8080}},
		},
	}
	found := &corev1.Service{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) {
		found.Spec = want.Spec
		found.OwnerReferences = want.OwnerReferences
		return r.Update(ctx, found)
	}
	return nil
}

// What the map is filled with is registered by the program, and never nothing.

type feature interface{ Name() string }

func (r *reconciler) features(ctx context.Context, key client.ObjectKey, registered []feature) error {
	found := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	data := make(map[string]string)
	for _, f := range allFeatures() {
		data[f.Name()] = "on"
	}
	if !reflect.DeepEqual(found.Data, data) {
		found.Data = data
		return r.Update(ctx, found)
	}
	return nil
}

func allFeatures() []feature { return nil }

// The branch has just made the two differ.
func (r *reconciler) migrated(ctx context.Context, backup *v1.Backup) error {
	if backup.Annotations["version"] != "v2" {
		stored := backup.DeepCopy()
		backup.Annotations = map[string]string{"version": "v2"}
		if !equality.Semantic.DeepEqual(stored, *backup) { // want `^hygiene: this is never equal`
			return r.Patch(ctx, backup, client.MergeFrom(stored))
		}
	}
	return nil
}

// The branch asks about something else than what is changed.
func (r *reconciler) recomputed(ctx context.Context, backup *v1.Backup) error {
	if backup.Spec.Paused {
		return nil
	}
	stored := backup.Status.DeepCopy()
	backup.Status.Message = "waiting"
	if !equality.Semantic.DeepEqual(stored, backup.Status) { // want `^load: this is never equal`
		return r.Status().Update(ctx, backup)
	}
	return nil
}

// The function begins with another state than it ends with.
func (r *reconciler) begun(ctx context.Context, backup *v1.Backup) (err error) {
	defer func() {
		before := backup.Status.DeepCopy()
		backup.Status.Phase = "Done"
		if err != nil {
			backup.Status.Phase = "Failed"
		}
		if !equality.Semantic.DeepEqual(before, backup.Status) { // want `^hygiene: this is never equal`
			err = errors.Join(err, r.Status().Update(ctx, backup))
		}
	}()
	backup.Status.Phase = "Running"
	if err := r.Status().Update(ctx, backup); err != nil {
		return err
	}
	return r.migrated(ctx, backup)
}

func (r *reconciler) begunWith(ctx context.Context, given *v1.Backup) error {
	given.Status.Phase = "Running"
	backup, err := r.stored(ctx, given)
	if err != nil {
		return err
	}
	failed := false
	defer func() {
		before := backup.Status.DeepCopy()
		backup.Status.Phase = "Done"
		if failed {
			backup.Status.Phase = "Failed"
		}
		if !equality.Semantic.DeepEqual(before, backup.Status) { // want `^hygiene: this is never equal`
			_ = r.Status().Update(ctx, backup)
		}
	}()
	failed = r.migrated(ctx, backup) != nil
	return nil
}

func (r *reconciler) stored(ctx context.Context, backup *v1.Backup) (*v1.Backup, error) {
	return backup, r.Status().Update(ctx, backup)
}

// It may begin with another one, or sets the same one as before.
func (r *reconciler) mayBegin(ctx context.Context, backup *v1.Backup) (err error) {
	defer func() {
		before := backup.Status.DeepCopy()
		backup.Status.Phase = "Done"
		if !equality.Semantic.DeepEqual(before, backup.Status) { // want `^load: this is never equal`
			err = errors.Join(err, r.Status().Update(ctx, backup))
		}
	}()
	if backup.Spec.Paused {
		backup.Status.Phase = "Paused"
	}
	return r.migrated(ctx, backup)
}

func (r *reconciler) reset(ctx context.Context, backup *v1.Backup) error {
	before := backup.Status.DeepCopy()
	backup.Status.Phase = "Pending"
	if err := r.migrated(ctx, backup); err != nil {
		return err
	}
	backup.Status.Phase = "Done"
	if !equality.Semantic.DeepEqual(before, backup.Status) { // want `^load: this is never equal`
		return r.Status().Update(ctx, backup)
	}
	return nil
}

// Pointers to times decide about a write.
func (r *reconciler) skipped(ctx context.Context, backup *v1.Backup) error {
	before := backup.DeepCopy()
	if backup.Spec.Paused {
		now := metav1.Now()
		backup.Status.StartTime = &now
	}
	if before.Status.StartTime != backup.Status.StartTime { // want `^load: equal times count as different`
		return r.Status().Patch(ctx, backup, client.MergeFrom(before))
	}
	return nil
}

// What is written compares by itself, by meaning, and sends nothing that is equal.
func (r *reconciler) comparedOnceMore(ctx context.Context, key client.ObjectKey, pods []corev1.Pod) error {
	quota := &corev1.ResourceQuota{}
	if err := r.Get(ctx, key, quota); err != nil {
		return err
	}
	used := &corev1.ResourceQuota{Status: usage(pods)}
	if reflect.DeepEqual(quota.Status, used.Status) {
		return nil
	}
	return r.ensure(ctx, quota, used.Status)
}

func (r *reconciler) ensure(ctx context.Context, quota *corev1.ResourceQuota, used corev1.ResourceQuotaStatus) error {
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, quota, func() error {
		quota.Status = used
		return nil
	})
	return err
}

// Beside it stands one that sends it whatever it is.
func (r *reconciler) comparedOrNot(ctx context.Context, key client.ObjectKey, pods []corev1.Pod) error {
	quota := &corev1.ResourceQuota{}
	if err := r.Get(ctx, key, quota); err != nil {
		return err
	}
	used := &corev1.ResourceQuota{Status: usage(pods)}
	if reflect.DeepEqual(quota.Status, used.Status) { // want `load: .*semanticequal/quantity`
		return nil
	}
	return r.ensureOrUpdate(ctx, quota, used.Status)
}

func (r *reconciler) ensureOrUpdate(ctx context.Context, quota *corev1.ResourceQuota, used corev1.ResourceQuotaStatus) error {
	if quota.ResourceVersion == "" {
		return r.ensure(ctx, quota, used)
	}
	quota.Status = used
	return r.Status().Update(ctx, quota)
}

// What is written is computed anew, whatever it was compared with.
func (r *reconciler) computedAnew(ctx context.Context, key client.ObjectKey, least corev1.ResourceList) error {
	quota := &corev1.ResourceQuota{}
	if err := r.Get(ctx, key, quota); err != nil {
		return err
	}
	if isOther(quota, &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: least}}) {
		r.limit(quota)
		return r.Update(ctx, quota)
	}
	return nil
}

func isOther(found, want *corev1.ResourceQuota) bool {
	if reflect.DeepEqual(found.Spec.Hard, want.Spec.Hard) {
		return false
	}
	found.Spec.Hard = want.Spec.Hard
	return true
}

func (r *reconciler) limit(quota *corev1.ResourceQuota) { quota.Spec.Hard = r.resources.Limits }

// What is written is what it was compared with.
func (r *reconciler) takenOver(ctx context.Context, key client.ObjectKey, least corev1.ResourceList) error {
	quota := &corev1.ResourceQuota{}
	if err := r.Get(ctx, key, quota); err != nil {
		return err
	}
	want := &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: least}}
	if differs(quota, want) {
		takeOver(quota, want)
		return r.Update(ctx, quota)
	}
	return nil
}

func differs(found, want *corev1.ResourceQuota) bool {
	return !reflect.DeepEqual(found.Spec.Hard, want.Spec.Hard) // want `^load: .*semanticequal/quantity`
}

func takeOver(found, want *corev1.ResourceQuota) { found.Spec.Hard = want.Spec.Hard }
