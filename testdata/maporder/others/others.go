// Package others hands lists to another package and back.
package others

import (
	"context"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/maporder/vars"
)

func mover(ctx context.Context, c client.Client, secret *corev1.Secret) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "mover", Namespace: secret.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, c, job, func() error {
		podSpec := &job.Spec.Template.Spec
		env := []corev1.EnvVar{{Name: "DIR", Value: "/data"}}
		env = prefixed(secret, env)
		env = vars.WithProxy(env)
		podSpec.Containers = []corev1.Container{{Name: "mover", Env: env}}
		return nil
	})
	return err
}

func prefixed(secret *corev1.Secret, env []corev1.EnvVar) []corev1.EnvVar {
	for key := range secret.Data {
		if strings.HasPrefix(key, "MOVER_") {
			env = append(env, corev1.EnvVar{Name: key, Value: "set"}) // want `Container\.Env changes each time, though nothing has changed: it is in the order of a map`
		}
	}
	return env
}

// Right: the other package sorts, or only counts.
func sorted(ctx context.Context, c client.Client, secret *corev1.Secret) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "mover", Namespace: secret.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, c, job, func() error {
		var env []corev1.EnvVar
		for key := range secret.Data {
			env = append(env, corev1.EnvVar{Name: key})
		}
		job.Spec.Template.Spec.Containers = []corev1.Container{{Name: "mover", Env: vars.Sorted(env)}}
		return nil
	})
	return err
}

func counted(ctx context.Context, c client.Client, secret *corev1.Secret) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "mover", Namespace: secret.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, c, job, func() error {
		var env []corev1.EnvVar
		for key := range secret.Data {
			env = append(env, corev1.EnvVar{Name: key})
		}
		number := vars.Count(env)
		job.Spec.BackoffLimit = &number
		return nil
	})
	return err
}

// The other package builds the list.
func ofSettings(ctx context.Context, c client.Client, settings map[string]string) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "settings"}}
	_, err := controllerutil.CreateOrUpdate(ctx, c, job, func() error {
		env := append(vars.Of(settings), corev1.EnvVar{Name: "LAST"}) // want `Container\.Env changes each time, though nothing has changed: it is in the order of a map \(vars/vars\.go:29\); go through the sorted keys`
		job.Spec.Template.Spec.Containers = []corev1.Container{{Name: "settings", Env: env}}
		return nil
	})
	return err
}

func argsOf(ctx context.Context, c client.Client, settings vars.Settings) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "settings"}}
	args, err := settings.Args() // want `Container\.Args changes each time, though nothing has changed: it is in the order of a map \(vars/vars\.go:`
	if err != nil {
		return err
	}
	_, err = controllerutil.CreateOrUpdate(ctx, c, job, func() error {
		job.Spec.Template.Spec.Containers = []corev1.Container{{Name: "settings", Args: args}}
		return nil
	})
	return err
}

// Right: one of the packages sorts.
func ofSorted(settings map[string]string) *batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "settings"}}
	job.Spec.Template.Spec.Containers = []corev1.Container{{Name: "settings", Env: sortedOf(settings)}}
	job.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "init", Env: vars.Sorted(vars.Of(settings))}}
	return job
}

func sortedOf(settings map[string]string) []corev1.EnvVar {
	env := vars.Of(settings)
	slices.SortFunc(env, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
	return env
}
