// Package cases compares what was read with what was built.
package cases

import (
	"context"
	"reflect"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct {
	client.Client
	resources corev1.ResourceRequirements
}

func (r *reconciler) desired(name string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Resources: r.resources}},
		}}},
	}
}

// The mistakes.

func (r *reconciler) wholeSpec(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if !reflect.DeepEqual(found.Spec, want.Spec) { // want `equal quantities are written again each round: reflect\.DeepEqual tells 1 from 1000m, and nil from empty; use equality\.Semantic\.DeepEqual \(semanticequal/quantity\)`
		found.Spec = want.Spec
		return r.Update(ctx, found)
	}
	return nil
}

func (r *reconciler) resourcesOfAContainer(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if needsUpdate(found, want) {
		return r.Update(ctx, want)
	}
	return nil
}

func needsUpdate(found, want *appsv1.Deployment) bool {
	if *found.Spec.Replicas != *want.Spec.Replicas {
		return true
	}
	return !reflect.DeepEqual(found.Spec.Template.Spec.Containers[0].Resources, want.Spec.Template.Spec.Containers[0].Resources) // want `load: equal quantities are written again each round.*\(semanticequal/quantity\)`
}

func sameQuantity(a, b resource.Quantity) bool {
	return a == b // want `equal quantities count as different: == compares how they are written \(1 and 1000m differ\); use Cmp or Equal \(semanticequal/quantity\)`
}

func (r *reconciler) emptyMap(ctx context.Context, key client.ObjectKey, labels map[string]string) error {
	found := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	data := make(map[string]string)
	for k, v := range labels {
		if v != "" {
			data[k] = v
		}
	}
	if !reflect.DeepEqual(found.Data, data) { // want `each round writes an empty map again: the API returns nil for it, and reflect\.DeepEqual tells these apart; use equality\.Semantic\.DeepEqual \(semanticequal/nil-empty\)`
		found.Data = data
		return r.Update(ctx, found)
	}
	return nil
}

// keptEmpty is right: the JSON of rules has no omitempty, so that an empty list comes back as one.
func (r *reconciler) keptEmpty(ctx context.Context, key client.ObjectKey, groups []string) error {
	found := &rbacv1.Role{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	rules := make([]rbacv1.PolicyRule, 0)
	for _, group := range groups {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{group}})
	}
	if !reflect.DeepEqual(found.Rules, rules) {
		found.Rules = rules
		return r.Update(ctx, found)
	}
	return nil
}

// leftOut is keptEmpty with a field that has omitempty.
func (r *reconciler) leftOut(ctx context.Context, key client.ObjectKey, names []string) error {
	found := &corev1.ServiceAccount{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	secrets := make([]corev1.ObjectReference, 0)
	for _, name := range names {
		secrets = append(secrets, corev1.ObjectReference{Name: name})
	}
	if !reflect.DeepEqual(found.Secrets, secrets) { // want `each round writes an empty list again`
		found.Secrets = secrets
		return r.Update(ctx, found)
	}
	return nil
}

func (r *reconciler) pointerAndValue(ctx context.Context, dep *appsv1.Deployment) error {
	old := dep.Status.DeepCopy()
	dep.Status.Replicas++
	if !equality.Semantic.DeepEqual(old, dep.Status) { // want `this is never equal: a \*v1\.DeploymentStatus is compared with a v1\.DeploymentStatus; compare values of one type \(semanticequal/other-type\)`
		return r.Status().Update(ctx, dep)
	}
	return nil
}

func (r *reconciler) bothWays(ctx context.Context, dep *appsv1.Deployment) error {
	old := dep.Status.DeepCopy()
	dep.Status.Replicas++
	switch {
	case reflect.DeepEqual(old, dep.Status): // want `this is never equal`
		return nil
	case !reflect.DeepEqual(old, dep.Status): // the same again
		return r.Status().Update(ctx, dep)
	}
	return nil
}

func transitioned(a, b *corev1.PersistentVolumeClaim) bool {
	return a.Status.ModifyVolumeStatus != nil && lastOf(a) != lastOf(b)
}

func lastOf(*corev1.PersistentVolumeClaim) string { return "" }

func startedAnew(old, cur *corev1.Pod) bool {
	return old.Status.StartTime != cur.Status.StartTime // want `^hygiene: equal times count as different: == compares pointers, or time zones as well; use the method Equal \(semanticequal/time\)`
}

func (r *reconciler) derivative(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `what was removed from the desired state, or emptied, is never updated: DeepDerivative skips it; compare all that the operator sets \(semanticequal/derivative\)`
		return r.Update(ctx, want)
	}
	return nil
}

// The length of one list says nothing of the others.
func (r *reconciler) oneLength(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if len(want.Spec.Template.Spec.Containers) != len(found.Spec.Template.Spec.Containers) || !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `DeepDerivative skips it.*\(semanticequal/derivative\)`
		return r.Update(ctx, want)
	}
	return nil
}

// Right.

func (r *reconciler) allParts(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if len(want.Spec.Selector.MatchLabels) != len(found.Spec.Selector.MatchLabels) ||
		!equality.Semantic.DeepEqual(want.Spec.Selector.MatchExpressions, found.Spec.Selector.MatchExpressions) ||
		!equality.Semantic.DeepDerivative(want.Spec.Selector, found.Spec.Selector) {
		return r.Update(ctx, want)
	}
	return nil
}

// What a dry run answers is compared exactly; the derivative is for servers that have none.
func (r *reconciler) whereNoDryRun(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	tried := found.DeepCopy()
	tried.Spec = want.Spec
	if err := r.Update(ctx, tried, client.DryRunAll); err == nil {
		if equality.Semantic.DeepEqual(tried.Spec, found.Spec) {
			return nil
		}
	} else if equality.Semantic.DeepDerivative(want.Spec, found.Spec) {
		return nil
	}
	found.Spec = want.Spec
	return r.Update(ctx, found)
}

// Nil is looked for, and there is nothing in it that could go otherwise.
func (r *reconciler) orNone(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if want.Annotations == nil && found.Annotations != nil || !equality.Semantic.DeepDerivative(want.Annotations, found.Annotations) {
		return r.Update(ctx, want)
	}
	return nil
}

func (r *reconciler) semantic(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if !equality.Semantic.DeepEqual(found.Spec, want.Spec) {
		return r.Update(ctx, want)
	}
	return nil
}

func (r *reconciler) bothRead(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	before := found.DeepCopy()
	found.Spec.Paused = true
	if !reflect.DeepEqual(before.Spec, found.Spec) {
		return r.Update(ctx, found)
	}
	return nil
}

func (r *reconciler) withoutQuantities(ctx context.Context, key client.ObjectKey) error {
	found := &corev1.Service{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := &corev1.Service{Spec: corev1.ServiceSpec{Selector: map[string]string{"app": key.Name}}}
	if !reflect.DeepEqual(found.Spec.Selector, want.Spec.Selector) {
		return r.Update(ctx, want)
	}
	return nil
}

func (r *reconciler) nothingIsWritten(ctx context.Context, key client.ObjectKey) (string, error) {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return "", err
	}
	if !reflect.DeepEqual(found.Spec, r.desired(key.Name).Spec) {
		return "differs", nil
	}
	return "", nil
}

func (r *reconciler) emptyIsLookedFor(ctx context.Context, key client.ObjectKey, labels map[string]string) error {
	found := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	data := make(map[string]string)
	for k, v := range labels {
		data[k] = v
	}
	if len(data) == 0 {
		return nil
	}
	if !reflect.DeepEqual(found.Data, data) {
		found.Data = data
		return r.Update(ctx, found)
	}
	return nil
}

func (r *reconciler) alwaysFilled(ctx context.Context, key client.ObjectKey) error {
	found := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	data := map[string]string{"name": key.Name}
	if !reflect.DeepEqual(found.Data, data) {
		found.Data = data
		return r.Update(ctx, found)
	}
	return nil
}

func (r *reconciler) lengthsToo(ctx context.Context, key client.ObjectKey) error {
	found := &corev1.Secret{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := &corev1.Secret{Data: map[string][]byte{"name": []byte(key.Name)}}
	if len(want.Data) != len(found.Data) || !equality.Semantic.DeepDerivative(want.Data, found.Data) {
		return r.Update(ctx, want)
	}
	return nil
}

// timesOrNil compares pointers only where one of them is nil.
func (r *reconciler) timesOrNil(ctx context.Context, a, b *corev1.Pod) error {
	if !sameTimes(a.Status.StartTime, b.Status.StartTime) {
		return r.Status().Update(ctx, a)
	}
	return nil
}

func sameTimes(a, b *metav1.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Time.Equal(b.Time)
}

func timesByMethod(a, b *corev1.Pod) bool { return a.Status.StartTime.Equal(b.Status.StartTime) }

func isSet(pod *corev1.Pod) bool { return pod.Status.StartTime != nil }

func isZeroTime(t metav1.Time) bool { return t == metav1.Time{} }

func bothDecoded(a, b corev1.NodeCondition) bool { return a.LastHeartbeatTime == b.LastHeartbeatTime }

func pointersOfOneType(a, b *appsv1.Deployment) bool { return reflect.DeepEqual(a, b) }

// withinLimits compares by == twice: it is told once.
func withinLimits(cpu, memory, unbounded resource.Quantity) bool {
	if cpu != unbounded && cpu.Sign() > 0 { // want `equal quantities count as different`
		return false
	}
	return memory == unbounded || memory.Sign() == 0
}

// bounded compares with what is written out here, as users write it.
func bounded(limit resource.Quantity) bool {
	unbounded := resource.MustParse("0")
	return limit != unbounded // want `^hygiene: equal quantities count as different`
}

var _, _ = withinLimits, bounded

// Few volumes have a quantity, and none of these.
func (r *reconciler) volumesOfTheirs(ctx context.Context, found *appsv1.Deployment) error {
	want := []corev1.Volume{{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls"}}}}
	if !reflect.DeepEqual(found.Spec.Template.Spec.Volumes, want) {
		found.Spec.Template.Spec.Volumes = want
		return r.Update(ctx, found)
	}
	return nil
}

// sameStart asks for the pointers only to save the other comparison.
func sameStart(a, b *metav1.Time) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if a == b {
		return true
	}
	return near(*a, *b)
}

func sameOrEqual(a, b *metav1.Time) bool { return a == b || a.Equal(b) }

// near allows a second.
func near(a, b metav1.Time) bool { return a.Sub(b.Time).Abs() <= time.Second }

// movedOn tells other times apart, and then only notes them.
func movedOn(a, b *metav1.Time) bool {
	if a == b { // want `^hygiene: equal times count as different: == compares pointers`
		return near(*a, metav1.Now())
	}
	return near(*b, metav1.Now())
}

// What a comparison of two types guards here is right without it: a pointer is copied.
func keepsPointer(spec, defaults *appsv1.DeploymentStrategy) *appsv1.RollingUpdateDeployment {
	if !reflect.DeepEqual(spec.RollingUpdate, appsv1.RollingUpdateDeployment{}) { // want `hygiene: this is never equal`
		defaults.RollingUpdate = spec.RollingUpdate
	}
	return defaults.RollingUpdate
}

// A helper compares what may be there, the caller what must not be.
func (r *reconciler) partsByHelpers(ctx context.Context, key client.ObjectKey) error {
	found := &corev1.Secret{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := &corev1.Secret{Data: map[string][]byte{"name": []byte(key.Name)}}
	if !sameSize(want, found) || !covers(want, found) {
		return r.Update(ctx, want)
	}
	return nil
}

func sameSize(want, found *corev1.Secret) bool { return len(want.Data) == len(found.Data) }

func covers(want, found *corev1.Secret) bool {
	return equality.Semantic.DeepDerivative(want.Data, found.Data)
}

// The literal compares what has been filled before.
func (r *reconciler) filledBeforeLiteral(ctx context.Context, key client.ObjectKey) error {
	found := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	data := map[string]string{"name": key.Name}
	same := func() bool { return reflect.DeepEqual(found.Data, data) }
	if !same() {
		found.Data = data
		return r.Update(ctx, found)
	}
	return nil
}

// roundAndRound takes what it compares from one round to the next, of two loops.
func (r *reconciler) roundAndRound(ctx context.Context, found *corev1.ConfigMap, data map[string]string, rounds [][]map[string]string) error {
	for _, round := range rounds {
		for _, next := range round {
			if next["mode"] == "on" {
				data = next
			}
		}
		if !reflect.DeepEqual(found.Data, data) {
			if err := r.Update(ctx, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// Others may add labels and annotations: what the operator sets has to be among them.
func (r *reconciler) labelled(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if !equality.Semantic.DeepDerivative(want.Labels, found.Labels) {
		return r.Update(ctx, want)
	}
	return nil
}

// A selector is nobody else's.
func (r *reconciler) selects(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if !equality.Semantic.DeepDerivative(want.Spec.Template.Spec.NodeSelector, found.Spec.Template.Spec.NodeSelector) { // want `semanticequal/derivative`
		return r.Update(ctx, want)
	}
	return nil
}
