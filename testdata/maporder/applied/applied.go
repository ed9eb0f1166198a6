// Package applied applies lists that are in a map's order.
package applied

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	policyv1 "k8s.io/client-go/applyconfigurations/policy/v1"
	"k8s.io/client-go/kubernetes"
)

func apply(ctx context.Context, c kubernetes.Interface, settings map[string]string) error {
	var vars []*corev1.EnvVarApplyConfiguration
	for name, value := range settings {
		vars = append(vars, corev1.EnvVar().WithName(name).WithValue(value)) // want `^load: Container\.Env changes each time, though nothing has changed: it is in the order of a map`
	}
	return applyWith(ctx, c, corev1.Container().WithName("backend").WithEnv(vars...))
}

func applyWith(ctx context.Context, c kubernetes.Interface, container *corev1.ContainerApplyConfiguration) error {
	template := corev1.PodTemplateSpec().WithSpec(corev1.PodSpec().WithContainers(container))
	set := appsv1.StatefulSet("backend", "default").WithSpec(appsv1.StatefulSetSpec().WithTemplate(template))
	_, err := c.AppsV1().StatefulSets("default").Apply(ctx, set, metav1.ApplyOptions{FieldManager: "opvet"})
	return err
}

// The text of a condition is for people.
func applyCondition(ctx context.Context, c kubernetes.Interface, missing map[string]bool) error {
	var names []string
	for name := range missing {
		names = append(names, name) // want `^hygiene: Condition\.Message changes each time`
	}
	condition := metaapply.Condition().WithType("Complete").WithMessage(strings.Join(names, ", "))
	budget := policyv1.PodDisruptionBudget("backend", "default").WithStatus(policyv1.PodDisruptionBudgetStatus().WithConditions(condition))
	_, err := c.PolicyV1().PodDisruptionBudgets("default").ApplyStatus(ctx, budget, metav1.ApplyOptions{FieldManager: "opvet"})
	return err
}

// Right: sorted, or a map again.

func applySorted(ctx context.Context, c kubernetes.Interface, settings map[string]string) error {
	var names []string
	for name := range settings {
		names = append(names, name)
	}
	slices.Sort(names)
	return applyWith(ctx, c, corev1.Container().WithName("backend").WithArgs(names...))
}

func applyMap(ctx context.Context, c kubernetes.Interface, settings map[string]string) error {
	labels := make(map[string]string)
	for name, value := range settings {
		labels["settings/"+name] = value
	}
	set := appsv1.StatefulSet("backend", "default").WithLabels(labels)
	_, err := c.AppsV1().StatefulSets("default").Apply(ctx, set, metav1.ApplyOptions{FieldManager: "opvet"})
	return err
}
