// Package compared puts lists in a map's order into objects, and compares some of them
// by functions of its own, to which the order makes no difference.
package compared

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct{ client.Client }

// volumes are written each time, and nobody is seen who heeds their order.
func (r *reconciler) volumes(ctx context.Context, pod *corev1.Pod, claims map[string]string) error {
	for name := range claims {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name}) // want `^hygiene: PodSpec\.Volumes changes each time`
	}
	return r.Update(ctx, pod)
}

// arguments are compared in their order.
func (r *reconciler) arguments(ctx context.Context, pod *corev1.Pod, flags map[string]string) error {
	var args []string
	for name, value := range flags {
		args = append(args, "--"+name+"="+value) // want `^load: Container\.Args changes each time`
	}
	if equalTexts(pod.Spec.Containers[0].Args, args) {
		return nil
	}
	pod.Spec.Containers[0].Args = args
	return r.Update(ctx, pod)
}

func equalTexts(a, b []string) bool { return slices.Equal(a, b) }

// affinities are compared within a larger part, in a function for parts.
func (r *reconciler) affinities(ctx context.Context, found *appsv1.Deployment, zones map[string]bool) error {
	wanted := found.DeepCopy()
	wanted.Spec.Template.Spec.Affinity = affinityOf(zones)
	if samePods(found.Spec.Template, wanted.Spec.Template) {
		return nil
	}
	return r.Update(ctx, wanted)
}

func affinityOf(zones map[string]bool) *corev1.Affinity {
	term := corev1.NodeSelectorTerm{}
	for zone := range zones {
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: zone}) // want `^load: NodeSelectorTerm\.MatchExpressions changes each time`
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{term},
	}}}
}

func samePods(a, b corev1.PodTemplateSpec) bool { return equality.Semantic.DeepEqual(a, b) }

// claims are compared as the text that the object is in JSON.
func (r *reconciler) claims(ctx context.Context, found *corev1.Pod, names map[string]string) error {
	wanted := corev1.PodSpec{}
	for name := range names {
		wanted.ResourceClaims = append(wanted.ResourceClaims, corev1.PodResourceClaim{Name: name}) // want `^load: PodSpec\.ResourceClaims changes each time`
	}
	text, err := json.Marshal(wanted)
	if err != nil || found.Annotations["applied"] == string(text) {
		return err
	}
	found.Spec = wanted
	return r.Update(ctx, found)
}

// mounts are compared by a library, whatever its options.
func (r *reconciler) mounts(ctx context.Context, found *corev1.Pod, paths map[string]string) error {
	wanted := found.DeepCopy()
	for name, path := range paths {
		wanted.Spec.Containers[0].VolumeMounts = append(wanted.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: name, MountPath: path}) // want `^load: Container\.VolumeMounts changes each time`
	}
	if cmp.Diff(found, wanted, cmp.Exporter(func(reflect.Type) bool { return true })) == "" {
		return nil
	}
	return r.Update(ctx, wanted)
}

// Traps.

// tolerations decide nothing: another part is compared, and that alone is stored.
func (r *reconciler) tolerations(ctx context.Context, found *appsv1.DaemonSet, taints map[string]string) error {
	wanted := &appsv1.DaemonSet{}
	for taint := range taints {
		wanted.Spec.Template.Spec.Tolerations = append(wanted.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: taint}) // want `^hygiene: PodSpec\.Tolerations changes each time`
	}
	if apierrors.IsNotFound(r.Get(ctx, client.ObjectKeyFromObject(wanted), found)) {
		return r.Create(ctx, wanted)
	}
	if !equality.Semantic.DeepEqual(found.Spec.Template.Spec.Volumes, wanted.Spec.Template.Spec.Volumes) {
		found.Spec.Template.Spec.Volumes = wanted.Spec.Template.Spec.Volumes
		return r.Update(ctx, found)
	}
	return nil
}

// namespaces are one, as a rule.
func (r *reconciler) namespaces(ctx context.Context, found *corev1.Pod, own, watched string) error {
	distinct := map[string]bool{}
	distinct[own] = true
	distinct[watched] = true
	wanted := found.DeepCopy()
	wanted.Spec.Overhead = nil
	wanted.Spec.Containers[0].Args = nil
	for namespace := range distinct {
		wanted.Spec.Containers[0].Args = append(wanted.Spec.Containers[0].Args, namespace)
	}
	if equality.Semantic.DeepEqual(found.Spec, wanted.Spec) {
		return nil
	}
	return r.Update(ctx, wanted)
}

// names are put in by a helper.
func (r *reconciler) names(ctx context.Context, found *corev1.Pod, own, watched string) error {
	distinct := none()
	add(distinct, own)
	add(distinct, watched)
	wanted := found.DeepCopy()
	wanted.Spec.Containers[0].Args = nil
	for name := range distinct {
		wanted.Spec.Containers[0].Args = append(wanted.Spec.Containers[0].Args, name)
	}
	if equality.Semantic.DeepEqual(found.Spec, wanted.Spec) {
		return nil
	}
	return r.Update(ctx, wanted)
}

func none() map[string]bool { return map[string]bool{} }

func add(names map[string]bool, name string) { names[name] = true }

// all are put in by a helper, one for each of a list.
func (r *reconciler) all(ctx context.Context, found *corev1.Pod, listed []string) error {
	distinct := none()
	for _, name := range listed {
		add(distinct, name)
	}
	wanted := found.DeepCopy()
	wanted.Spec.Containers[0].Args = nil
	for name := range distinct {
		wanted.Spec.Containers[0].Args = append(wanted.Spec.Containers[0].Args, name) // want `^load: Container\.Args changes each time`
	}
	if equality.Semantic.DeepEqual(found.Spec, wanted.Spec) {
		return nil
	}
	return r.Update(ctx, wanted)
}

// kind is one, and its name known.
func (r *reconciler) kind(ctx context.Context, found *corev1.Pod) error {
	wanted := found.DeepCopy()
	wanted.Spec.Containers[0].Args = nil
	for kind := range map[string]bool{"Backup": true} {
		wanted.Spec.Containers[0].Args = append(wanted.Spec.Containers[0].Args, kind)
	}
	if equality.Semantic.DeepEqual(found.Spec, wanted.Spec) {
		return nil
	}
	return r.Update(ctx, wanted)
}

// kindAndOther are two, if a name is given.
func (r *reconciler) kindAndOther(ctx context.Context, found *corev1.Pod, other string) error {
	wanted := found.DeepCopy()
	wanted.Spec.Containers[0].Args = nil
	kinds := map[string]bool{"Backup": true}
	if other != "" {
		kinds[other] = true
	}
	for kind := range kinds {
		wanted.Spec.Containers[0].Args = append(wanted.Spec.Containers[0].Args, kind) // want `^load: Container\.Args changes each time`
	}
	if equality.Semantic.DeepEqual(found.Spec, wanted.Spec) {
		return nil
	}
	return r.Update(ctx, wanted)
}

// kinds are two, and their names known.
func (r *reconciler) kinds(ctx context.Context, found *corev1.Pod) error {
	wanted := found.DeepCopy()
	wanted.Spec.Containers[0].Args = nil
	for kind := range map[string]bool{"Backup": true, "Cluster": true} {
		wanted.Spec.Containers[0].Args = append(wanted.Spec.Containers[0].Args, kind) // want `^load: Container\.Args changes each time`
	}
	if equality.Semantic.DeepEqual(found.Spec, wanted.Spec) {
		return nil
	}
	return r.Update(ctx, wanted)
}

// hostnames are replaced when the number of others differs.
func (r *reconciler) hostnames(ctx context.Context, found *corev1.Pod, hosts map[string]string) error {
	wanted := found.DeepCopy()
	wanted.Spec.HostAliases = nil
	for host, ip := range hosts {
		wanted.Spec.HostAliases = append(wanted.Spec.HostAliases, corev1.HostAlias{IP: ip, Hostnames: []string{host}}) // want `^hygiene: PodSpec\.HostAliases changes each time`
	}
	if len(found.Spec.HostAliases) != len(wanted.Spec.HostAliases) || found.Spec.NodeName != wanted.Spec.NodeName {
		return r.Update(ctx, wanted)
	}
	return nil
}

// env is only stored if sameEnv finds a difference, which sorts copies of both.
func (r *reconciler) env(ctx context.Context, pod *corev1.Pod, values map[string]string) error {
	wanted := envOf(values)
	if sameEnv(pod.Spec.Containers[0].Env, wanted) {
		return nil
	}
	pod.Spec.Containers[0].Env = wanted
	return r.Update(ctx, pod)
}

func envOf(values map[string]string) []corev1.EnvVar {
	var env []corev1.EnvVar
	for name, value := range values {
		env = append(env, corev1.EnvVar{Name: name, Value: value})
	}
	return env
}

func sameEnv(a, b []corev1.EnvVar) bool {
	return slices.Equal(sorted(a), sorted(b))
}

func sorted(env []corev1.EnvVar) []corev1.EnvVar {
	return slices.SortedFunc(slices.Values(env), func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
}

// ports are compared by what a library is given.
func (r *reconciler) ports(ctx context.Context, service *corev1.Service, ports map[string]int32) error {
	var wanted []corev1.ServicePort
	for name, port := range ports {
		wanted = append(wanted, corev1.ServicePort{Name: name, Port: port})
	}
	if equal(service.Spec.Ports, wanted, options) {
		return nil
	}
	service.Spec.Ports = wanted
	return r.Update(ctx, service)
}

type option struct{ comparer any }

var options = option{func(a, b []corev1.ServicePort) bool { return len(a) == len(b) && subset(a, b) }}

func subset(a, b []corev1.ServicePort) bool {
	for _, port := range a {
		if !slices.ContainsFunc(b, func(other corev1.ServicePort) bool { return other == port }) {
			return false
		}
	}
	return true
}

func equal(_, _ any, _ option) bool { return false }
