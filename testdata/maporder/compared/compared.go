// Package compared puts lists in a map's order into objects, and compares some of them
// by functions of its own, to which the order makes no difference.
package compared

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct{ client.Client }

// volumes are compared by nobody but the API server.
func (r *reconciler) volumes(ctx context.Context, pod *corev1.Pod, claims map[string]string) error {
	for name := range claims {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name}) // want `^load: PodSpec\.Volumes changes each time`
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

// Traps.

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
