// Package effects has calls of functions of the ecosystem that change their
// operands, copy them, or leave them alone. Each function says what is known
// of its calls, in the order of the source.
package effects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/passes/effects/conditions"
)

// want changes 0 at ObjectMeta.Finalizers
// want changes 0 at ObjectMeta.Finalizers
// want only reads
func finalizers(b *v1.Backup) {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	controllerutil.ContainsFinalizer(b, v1.Finalizer)
}

// want changes 1 at ObjectMeta.OwnerReferences
// want changes 1 at ObjectMeta.OwnerReferences
// want only reads
func owners(b *v1.Backup, pod *corev1.Pod, scheme *runtime.Scheme) {
	controllerutil.SetControllerReference(b, pod, scheme)
	controllerutil.SetOwnerReference(b, pod, scheme)
	controllerutil.HasControllerReference(pod)
}

// want changes 0 at ObjectMeta.Labels
// want changes 0 at ObjectMeta.Annotations
// want changes 0 at ObjectMeta.Finalizers
// want changes 0 at ObjectMeta.OwnerReferences
func setters(obj client.Object, m metav1.Object, b *v1.Backup) {
	obj.SetLabels(nil)
	m.SetAnnotations(nil)
	b.SetFinalizers(nil)
	b.ObjectMeta.SetOwnerReferences(nil)
}

// want changes metadata
// want changes metadata
// want changes metadata
// want nothing known
func otherSetters(obj client.Object, u *unstructured.Unstructured) {
	obj.SetName("name")
	u.SetKind("Backup")
	u.SetManagedFields(nil)
	u.SetUnstructuredContent(nil)
}

// want changes 0 at ObjectMeta.Annotations
// want changes 0 at ObjectMeta.Labels
func metadataHelpers(b *v1.Backup) {
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, "key", "value")
	metav1.SetMetaDataLabel(&b.ObjectMeta, "key", "value")
}

// want changes 0
// want changes 0
// want only reads
// want only reads
func conditionList(b *v1.Backup) {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{})
	meta.RemoveStatusCondition(&b.Status.Conditions, "Ready")
	meta.FindStatusCondition(b.Status.Conditions, "Ready")
	meta.IsStatusConditionTrue(b.Status.Conditions, "Ready")
}

// want changes 0 at Status
// want only reads
func conditionInterface(c v1.Conditioned) {
	c.SetConditions(nil)
	c.GetConditions()
}

// want changes 0 at Status
// want nothing known
func conditionLibrary(b *v1.Backup) {
	conditions.MarkTrue(b, "Ready")
	conditions.Get(b)
}

// A package of that name has other functions, too.
//
// want nothing known
// want nothing known
func conditionsOfOthers(p *conditions.Plan, b *v1.Backup) {
	conditions.Evaluate(p)
	conditions.Check(b)
}

// want copy
// want copy
// want copy
// want copy
func copies(b *v1.Backup, obj client.Object) {
	b.DeepCopy()
	obj.DeepCopyObject()
	b.Status.DeepCopyInto(&v1.BackupStatus{})
	b.Spec.DeepCopy()
}

type archive struct{}

func (archive) DeepCopy(to string) error    { return nil }
func (archive) DeepCopyInto(a, b string)    {}
func (archive) Clone() archive              { return archive{} }
func DeepCopy(b *v1.Backup) *v1.Backup      { return b }
func (archive) SetLabels(map[string]string) {}
func (archive) SetConditions([]string)      {}

// Copies of something else, and a setter of something that is no object.
//
// want nothing known
// want nothing known
// want only reads
// want nothing known
// want nothing known
// want nothing known
func namesakes(a archive, b *v1.Backup) {
	a.DeepCopy("/backup")
	a.DeepCopyInto("/from", "/to")
	a.Clone()
	DeepCopy(b)
	a.SetLabels(nil)
	a.SetConditions(nil)
}

// want only reads, logs
// want only reads, logs
// want only reads, logs
// want only reads, logs
// want only reads, logs
func printing(ctx context.Context, b *v1.Backup) {
	fmt.Println(b)
	klog.Info(b)
	logger := log.FromContext(ctx).WithName("backups")
	logger.Info("seen", "backup", b)
}

// want only reads
// want only reads
// want only reads
// want only reads
// want only reads
func comparing(a, b *v1.Backup, err error) {
	reflect.DeepEqual(a, b)
	equality.Semantic.DeepEqual(a.Status, b.Status)
	apierrors.IsNotFound(err)
	errors.Is(err, context.Canceled)
	strings.Contains(b.Name, "x")
}

// want only reads
// want only reads
// want only reads
// want only reads
func asking(b *v1.Backup, recorder record.EventRecorder) {
	client.ObjectKeyFromObject(b)
	client.MergeFrom(b)
	cache.MetaNamespaceKeyFunc(b)
	recorder.Event(b, "Normal", "Seen", "seen")
}

// want only reads
// want only reads
// want only reads
func getters(obj client.Object, err error) {
	obj.GetName()
	obj.GetDeletionTimestamp()
	_ = err.Error()
}

// want only reads
// want nothing known
func encoding(b *v1.Backup, data []byte) {
	json.Marshal(b)
	json.Unmarshal(data, b)
}

// want nothing known
func defaulting(scheme *runtime.Scheme, b *v1.Backup) {
	scheme.Default(b)
}
