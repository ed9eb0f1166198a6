package cases

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/deletiontimestamp/lib"
)

func (r *reconciler) get(ctx context.Context, key client.ObjectKey) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	return pod, r.Get(ctx, key, pod)
}

func (r *reconciler) sameCondition(ctx context.Context, key client.ObjectKey) bool {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return false
	}
	return pod.DeletionTimestamp != nil && time.Since(pod.DeletionTimestamp.Time) > grace
}

func (r *reconciler) enclosingIf(ctx context.Context, key client.ObjectKey) (text string) {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return ""
	}
	if !pod.DeletionTimestamp.IsZero() {
		text = pod.DeletionTimestamp.String()
	}
	return text
}

// The check is far above, through the other accessor, and loops lie between.
func (r *reconciler) earlyReturn(ctx context.Context, key client.ObjectKey) (remaining time.Duration) {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return 0
	}
	if pod.GetDeletionTimestamp() == nil {
		return 0
	}
	for _, volume := range pod.Spec.Volumes {
		for _, container := range pod.Spec.Containers {
			for _, mount := range container.VolumeMounts {
				if mount.Name == volume.Name {
					remaining += time.Until(pod.DeletionTimestamp.Add(grace))
				}
			}
		}
	}
	return remaining
}

func (r *reconciler) nilSafeMethods(ctx context.Context, key client.ObjectKey) bool {
	var a, b corev1.Pod
	if r.Get(ctx, key, &a) != nil || r.Get(ctx, key, &b) != nil {
		return false
	}
	now := metav1.Now()
	return a.DeletionTimestamp.IsZero() || a.DeletionTimestamp.Before(&now) ||
		a.GetDeletionTimestamp().Equal(b.GetDeletionTimestamp()) || a.DeletionTimestamp.DeepCopy() == nil
}

func (r *reconciler) variable(ctx context.Context, key client.ObjectKey) time.Duration {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return 0
	}
	deleting := !pod.DeletionTimestamp.IsZero()
	if pod.Spec.NodeName == "" {
		return 0
	}
	if deleting {
		return time.Since(pod.DeletionTimestamp.Time)
	}
	return 0
}

func (r *reconciler) variableOfTheTimestamp(ctx context.Context, key client.ObjectKey) string {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return ""
	}
	at := pod.DeletionTimestamp
	if at == nil {
		return "live"
	}
	return at.Format(time.RFC3339)
}

func (r *reconciler) rememberedInAField(ctx context.Context, key client.ObjectKey) time.Duration {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return 0
	}
	r.terminating = pod.DeletionTimestamp != nil
	if r.terminating {
		return time.Since(pod.DeletionTimestamp.Time)
	}
	return 0
}

func (r *reconciler) predicateElsewhere(ctx context.Context, key client.ObjectKey) time.Duration {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil || !lib.IsTerminating(&pod) {
		return 0
	}
	return time.Since(pod.DeletionTimestamp.Time)
}

func (r *reconciler) predicateOfTheMetadata(ctx context.Context, key client.ObjectKey) time.Duration {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil || !lib.IsMarked(pod.ObjectMeta) {
		return 0
	}
	return time.Since(pod.DeletionTimestamp.Time)
}

// IsStuck looks at the deletion, in a way that is too much to follow.
func (r *reconciler) predicateWithMore(ctx context.Context, key client.ObjectKey) time.Duration {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil || !lib.IsStuck(&pod) {
		return 0
	}
	return time.Since(pod.DeletionTimestamp.Time)
}

func (r *reconciler) continues(ctx context.Context) (longest time.Duration, err error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods); err != nil {
		return 0, err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.DeletionTimestamp == nil {
			continue
		}
		longest = max(longest, time.Since(pod.DeletionTimestamp.Time))
	}
	return longest, nil
}

func (r *reconciler) filtered() (longest time.Duration, err error) {
	all, err := r.pods.List(labels.Everything())
	if err != nil {
		return 0, err
	}
	terminating := filter(all, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
	for _, pod := range terminating {
		longest = max(longest, time.Since(pod.DeletionTimestamp.Time))
	}
	return longest, nil
}

func filter(pods []*corev1.Pod, keep func(*corev1.Pod) bool) []*corev1.Pod {
	var kept []*corev1.Pod
	for _, pod := range pods {
		if keep(pod) {
			kept = append(kept, pod)
		}
	}
	return kept
}

func (r *reconciler) filteredInPlace(ctx context.Context) (last time.Time, err error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods); err != nil {
		return last, err
	}
	pods.Items = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return pod.DeletionTimestamp == nil })
	for _, pod := range pods.Items {
		last = pod.DeletionTimestamp.Time
	}
	return last, nil
}

func (r *reconciler) filteredElsewhere(ctx context.Context) (last time.Time, err error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods); err != nil {
		return last, err
	}
	for _, pod := range lib.Terminating(pods.Items) {
		last = pod.DeletionTimestamp.Time
	}
	return last, nil
}

func (r *reconciler) checkedByTheCaller(ctx context.Context, key client.ObjectKey) error {
	var backup v1.Backup
	if err := r.Get(ctx, key, &backup); err != nil {
		return err
	}
	if backup.DeletionTimestamp != nil {
		return r.finalize(ctx, &backup)
	}
	return nil
}

func (r *reconciler) finalize(ctx context.Context, backup *v1.Backup) error {
	if time.Since(backup.DeletionTimestamp.Time) > grace {
		return r.forceDelete(ctx, backup)
	}
	return nil
}

func (r *reconciler) helperThatChecks(ctx context.Context, key client.ObjectKey) time.Duration {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return 0
	}
	return lib.SafelyDeletingFor(&pod)
}

func (r *reconciler) errorOfAHelper(ctx context.Context, key client.ObjectKey) (time.Duration, error) {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return 0, err
	}
	if err := mustBeDeleted(&pod); err != nil {
		return 0, err
	}
	return time.Since(pod.DeletionTimestamp.Time), nil
}

func mustBeDeleted(pod *corev1.Pod) error {
	if pod.DeletionTimestamp.IsZero() {
		return fmt.Errorf("pod %s is not being deleted", pod.Name)
	}
	return nil
}

func (r *reconciler) switched(ctx context.Context, key client.ObjectKey) string {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return ""
	}
	switch {
	case pod.Spec.NodeName == "":
		return "pending"
	case pod.DeletionTimestamp == nil:
		return "live"
	default:
		return "deleted at " + pod.DeletionTimestamp.String()
	}
}

func (r *reconciler) namespacePhase(ctx context.Context, key client.ObjectKey) time.Duration {
	var ns corev1.Namespace
	if err := r.Get(ctx, key, &ns); err != nil || ns.Status.Phase != corev1.NamespaceTerminating {
		return 0
	}
	return time.Since(ns.DeletionTimestamp.Time)
}

// Where the object comes from is not seen.
func (r *reconciler) fromAHelper(ctx context.Context, key client.ObjectKey) (string, error) {
	pod, err := r.get(ctx, key)
	if err != nil {
		return "", err
	}
	return pod.DeletionTimestamp.String(), nil
}

// Describe is for deleted objects; callers elsewhere may know.
func Describe(obj any) string {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return accessor.GetDeletionTimestamp().String()
}

func (r *reconciler) otherTimestamps(ctx context.Context, key client.ObjectKey) string {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return ""
	}
	return pod.CreationTimestamp.String() + pod.Status.StartTime.String()
}

func (r *reconciler) suppressed(ctx context.Context, key client.ObjectKey) string {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return ""
	}
	return pod.DeletionTimestamp.String() //nolint:deletiontimestamp // this client sees deleted pods only
}

// The test holds although others get the object after it.
func (r *reconciler) elseBranch(ctx context.Context, key client.ObjectKey, note func(*corev1.Pod)) (age time.Duration, err error) {
	pod := &corev1.Pod{}
	if err := r.Get(ctx, key, pod); err != nil {
		return 0, err
	}
	if pod.DeletionTimestamp.IsZero() {
		note(pod)
	} else {
		note(pod)
		if len(pod.Finalizers) > 0 {
			age = time.Since(pod.DeletionTimestamp.Time)
		}
	}
	return age, nil
}

// The timestamp is read, and asked for, by helpers.
func (r *reconciler) askedByHelper(ctx context.Context, key client.ObjectKey) (remaining time.Duration) {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return 0
	}
	if deletionOf(&pod) == nil {
		return 0
	}
	for range pod.Spec.Volumes {
		remaining += time.Until(deadlineOf(&pod))
	}
	return remaining
}

func deletionOf(pod *corev1.Pod) *metav1.Time { return pod.GetDeletionTimestamp() }

func deadlineOf(pod *corev1.Pod) time.Time { return pod.DeletionTimestamp.Add(grace) }

// A flag is set only where the timestamp is there, and is asked before it is read.
func (r *reconciler) flagged(ctx context.Context, key client.ObjectKey) (ends time.Time) {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return ends
	}
	terminating := false
	switch {
	case pod.DeletionTimestamp != nil && pod.Status.Phase == corev1.PodRunning:
		terminating = true
	case pod.Status.Phase == corev1.PodFailed && pod.DeletionTimestamp != nil:
		terminating = true
	case pod.Status.Phase == corev1.PodSucceeded:
	default:
		return ends
	}
	if terminating {
		ends = pod.DeletionTimestamp.Add(grace)
	}
	return ends
}
