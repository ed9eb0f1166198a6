// Package fates puts lists in a map's order into objects that are written again,
// and into such as nobody compares with anything: that is hygiene.
package fates

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

// The mistakes.

func (r *reconciler) statusOfARead(ctx context.Context, key client.ObjectKey, volumes map[string]bool) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	before := b.Status.DeepCopy()
	b.Status.Volumes = nil
	for name := range volumes {
		b.Status.Volumes = append(b.Status.Volumes, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	if !equality.Semantic.DeepEqual(before, &b.Status) {
		return r.Status().Update(ctx, b)
	}
	return nil
}

// The wanted status is compared as a whole, and then put into the object.
func (r *reconciler) wantedStatus(ctx context.Context, key client.ObjectKey, volumes map[string]bool) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	wanted := statusOf(volumes)
	if reflect.DeepEqual(b.Status, wanted) {
		return nil
	}
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, b, func() error {
		b.Status = wanted
		return nil
	})
	return err
}

func statusOf(volumes map[string]bool) v1.BackupStatus {
	status := v1.BackupStatus{Phase: v1.BackupRunning}
	for name := range volumes {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	return status
}

func (r *reconciler) inTheFunction(ctx context.Context, env map[string]string) error {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "agent"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, d, func() error {
		d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "agent", Env: vars(env)}}
		return nil
	})
	return err
}

func vars(env map[string]string) []corev1.EnvVar {
	var all []corev1.EnvVar
	for name, value := range env {
		all = append(all, corev1.EnvVar{Name: name, Value: value}) // want `^load: Container\.Env changes each time`
	}
	return all
}

func (r *reconciler) compared(ctx context.Context, found *corev1.Service, ports map[string]int32) error {
	wanted := serviceOf(ports)
	if !reflect.DeepEqual(found.Spec.Ports, wanted.Spec.Ports) {
		return r.Update(ctx, found)
	}
	return nil
}

func serviceOf(ports map[string]int32) *corev1.Service {
	svc := &corev1.Service{}
	for name, port := range ports {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: name, Port: port}) // want `^load: ServiceSpec\.Ports changes each time`
	}
	return svc
}

func (r *reconciler) conditionOf(ctx context.Context, b *v1.Backup, missing map[string]bool) error {
	condition := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Missing"}
	for name := range missing {
		condition.Message += name + " " // want `^hygiene: Condition\.Message changes each time`
	}
	meta.SetStatusCondition(&b.Status.Conditions, condition)
	return r.Status().Update(ctx, b)
}

// The map of the text goes into the object that is made, and into the one that is there; no
// controller hears it (see package owned).
func (r *reconciler) rendered(ctx context.Context, key client.ObjectKey, loggers map[string]string) error {
	data := map[string]string{"loggers.conf": render(loggers)}
	cm := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, cm); err != nil {
		if !apierrors.IsNotFound(err) {
			return err
		}
		return r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}, Data: data})
	}
	cm.Data = data
	return r.Update(ctx, cm)
}

func render(loggers map[string]string) string {
	var text strings.Builder
	for name, level := range loggers {
		fmt.Fprintf(&text, "%s=%s\n", name, level) // want `^hygiene: ConfigMap\.Data changes each time`
	}
	return text.String()
}

// round works on the object that it holds, and writes it in the end.
type round struct {
	client  client.Client
	backup  *v1.Backup
	volumes map[string]bool
}

func (r *round) collect() {
	var all []v1.VolumeStatus
	for name := range r.volumes {
		all = append(all, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	r.backup.Status.Volumes = all
}

func (r *round) store(ctx context.Context) error {
	return r.client.Status().Update(ctx, r.backup)
}

var _, _ = (*round).collect, (*round).store

// The text of a status is for people, even where the package asks whether it is another one.
func (r *reconciler) reasons(ctx context.Context, key client.ObjectKey, missing map[string]bool) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	wanted := v1.BackupStatus{Phase: v1.BackupFailed}
	for name := range missing {
		wanted.Message += name + " " // want `^hygiene: BackupStatus\.Message changes each time`
	}
	if sameStatus(&wanted, &b.Status) {
		return nil
	}
	b.Status = wanted
	return r.Status().Update(ctx, b)
}

func sameStatus(a, b *v1.BackupStatus) bool { return a.Phase == b.Phase && a.Message == b.Message }

// Nothing happens.

// draft holds an object that is made once.
type draft struct {
	client client.Client
	pod    *corev1.Pod
	flags  map[string]string
}

func (d *draft) fill() {
	d.pod.Spec.Containers[0].Args = nil
	for name := range d.flags {
		d.pod.Spec.Containers[0].Args = append(d.pod.Spec.Containers[0].Args, name) // want `^hygiene: .*changes each time`
	}
}

func (d *draft) create(ctx context.Context) error { return d.client.Create(ctx, d.pod) }

var _, _ = (*draft).fill, (*draft).create

func (r *reconciler) createdOnce(ctx context.Context, flags map[string]string) error {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "job", Args: args(flags)}}}}
	err := r.Create(ctx, pod)
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func args(flags map[string]string) []string {
	var all []string
	for name, value := range flags {
		all = append(all, "--"+name+"="+value) // want `^hygiene: .*changes each time`
	}
	return all
}

func (r *reconciler) createdThroughAHelper(ctx context.Context, volumes map[string]corev1.Volume) error {
	spec := corev1.PodSpec{}
	for _, volume := range volumes {
		spec.Volumes = append(spec.Volumes, volume) // want `^hygiene: .*changes each time`
	}
	return r.start(ctx, &corev1.Pod{Spec: spec})
}

func (r *reconciler) start(ctx context.Context, pod *corev1.Pod) error {
	return client.IgnoreAlreadyExists(r.Create(ctx, pod))
}

// answer is shown to a user, and stored nowhere.
func answer(settings map[string]string) *corev1.Container {
	c := &corev1.Container{Name: "curl"}
	for name, value := range settings {
		c.Command = append(c.Command, "-H", name+": "+value) // want `^hygiene: .*changes each time`
	}
	return c
}

var _ = answer

// What has failed is told in a map's order only while several fail.
func (r *reconciler) failures(ctx context.Context, b *v1.Backup, remotes map[string]func() error) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
		return err
	}
	var failed []string
	for name, remote := range remotes {
		if err := remote(); err != nil {
			failed = append(failed, name) // want `^hygiene: .*changes each time`
			continue
		}
	}
	b.Status.Phase = v1.BackupPhase(strings.Join(failed, ", "))
	return r.Status().Update(ctx, b)
}

// What happens once.

func (r *reconciler) statusOfTheCreated(ctx context.Context, volumes map[string]bool) error {
	b := &v1.Backup{ObjectMeta: metav1.ObjectMeta{GenerateName: "backup-"}}
	if err := r.Create(ctx, b); err != nil {
		return err
	}
	for name := range volumes {
		b.Status.Volumes = append(b.Status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: .*changes each time`
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) statusOfTheCreatedOrRead(ctx context.Context, key client.ObjectKey, volumes map[string]bool) error {
	b := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name}}
	if err := r.Create(ctx, b); err != nil {
		return err
	}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	before := b.Status.DeepCopy()
	for name := range volumes {
		b.Status.Volumes = append(b.Status.Volumes, v1.VolumeStatus{Name: name}) // want `^load: .*changes each time`
	}
	if equality.Semantic.DeepEqual(before, &b.Status) {
		return nil
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) firstTime(ctx context.Context, key client.ObjectKey, volumes map[string]bool) error {
	c := &v1.Cluster{}
	if err := r.Get(ctx, key, c); err != nil {
		return err
	}
	if c.Status == nil {
		c.Status = &v1.ClusterStatus{}
		for name := range volumes {
			c.Status.Version += name + " " // want `^hygiene: .*changes each time`
		}
	}
	return r.Status().Update(ctx, c)
}

func (r *reconciler) eachTime(ctx context.Context, key client.ObjectKey, volumes map[string]bool) error {
	c := &v1.Cluster{}
	if err := r.Get(ctx, key, c); err != nil {
		return err
	}
	if c.Status == nil {
		return nil
	}
	version := ""
	for name := range volumes {
		version += name + " " // want `^hygiene: .*changes each time`
	}
	c.Status.Version = version
	return r.Status().Update(ctx, c)
}

// Two lists with the same elements are the same to who compares them.
func (r *reconciler) unlessSame(ctx context.Context, key client.ObjectKey, volumes map[string]bool) error {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, key, d); err != nil {
		return err
	}
	var names []string
	for name := range volumes {
		names = append(names, name)
	}
	if !sameNames(names, d.Finalizers) {
		d.Finalizers = names
		return r.Update(ctx, d)
	}
	return nil
}

func sameNames(a, b []string) bool {
	known := make(map[string]bool)
	for _, name := range a {
		known[name] = true
	}
	for _, name := range b {
		if !known[name] {
			return false
		}
	}
	return len(a) == len(b)
}

func (r *reconciler) unlessEqual(ctx context.Context, key client.ObjectKey, volumes map[string]bool) error {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, key, d); err != nil {
		return err
	}
	var names []string
	for name := range volumes {
		names = append(names, name) // want `^load: .*changes each time`
	}
	if !equalNames(names, d.Finalizers) {
		d.Finalizers = names
		return r.Update(ctx, d)
	}
	return nil
}

func equalNames(a, b []string) bool {
	for i, name := range a {
		if i >= len(b) || b[i] != name {
			return false
		}
	}
	return len(a) == len(b)
}

// Two owners may share an object, and each is added once.
func (r *reconciler) owners(ctx context.Context, key client.ObjectKey, owner metav1.OwnerReference) error {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, key, d); err != nil {
		return err
	}
	known := map[string]metav1.OwnerReference{owner.Name: owner}
	for _, other := range d.OwnerReferences {
		known[other.Name] = other
	}
	var all []metav1.OwnerReference
	for _, one := range known {
		all = append(all, one) // want `^hygiene: .*changes each time`
	}
	if equality.Semantic.DeepEqual(all, d.OwnerReferences) {
		return nil
	}
	d.OwnerReferences = all
	return r.Update(ctx, d)
}

// A text is looked for in the list, which nobody compares.
func (r *reconciler) lookedUp(ctx context.Context, key client.ObjectKey, flags map[string]string) error {
	pod := &corev1.Pod{}
	if err := r.Get(ctx, key, pod); err != nil {
		return err
	}
	args := pod.Spec.Containers[0].Args
	for name := range flags {
		args = append(args, name) // want `^hygiene: .*changes each time`
	}
	if has(args, key.Name) {
		return nil
	}
	pod.Spec.Containers[0].Args = args
	return r.Update(ctx, pod)
}

func has(list []string, wanted string) bool {
	for _, text := range list {
		if text == wanted {
			return true
		}
	}
	return false
}

// One argument is compared, that is the text.
func (r *reconciler) oneArgument(ctx context.Context, key client.ObjectKey, flags map[string]string) error {
	pod := &corev1.Pod{}
	if err := r.Get(ctx, key, pod); err != nil {
		return err
	}
	text := ""
	for name := range flags {
		text += name + "," // want `^load: .*changes each time`
	}
	wanted := pod.DeepCopy()
	wanted.Spec.SchedulerName = text
	if pod.Spec.SchedulerName == wanted.Spec.SchedulerName {
		return nil
	}
	return r.Update(ctx, wanted)
}
