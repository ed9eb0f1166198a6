package cases

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// placement is what users say of pods.
type placement struct {
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	Env          []corev1.EnvVar
	Resources    corev1.ResourceRequirements
	Host         string
	Disruption   *policyv1.PodDisruptionBudgetSpec
	Labels       map[string]string
}

// What users ask of pods, they take back.

func (r *reconciler) placed(ctx context.Context, key client.ObjectKey, given *placement) error {
	return r.updatePods(ctx, key, podsOf(given))
}

func podsOf(given *placement) *appsv1.Deployment {
	tolerations := []corev1.Toleration{}
	if len(given.Tolerations) > 0 {
		tolerations = given.Tolerations
	}
	return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Tolerations: tolerations}}}}
}

func (r *reconciler) updatePods(ctx context.Context, key client.ObjectKey, want *appsv1.Deployment) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `^loss: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

func (r *reconciler) withVariables(ctx context.Context, key client.ObjectKey, given *placement) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := withEnv(given)
	if !equality.Semantic.DeepDerivative(want.Spec.Template, found.Spec.Template) { // want `^loss: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

func withEnv(given *placement) *appsv1.Deployment {
	env := []corev1.EnvVar{{Name: "MODE", Value: "on"}}
	env = append(env, given.Env...)
	return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Env: env}},
	}}}}
}

func (r *reconciler) limited(ctx context.Context, key client.ObjectKey, given *placement) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := withResources(given.Resources)
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `^loss: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

func withResources(resources corev1.ResourceRequirements) *appsv1.Deployment {
	return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Resources: resources}},
	}}}}
}

// The flags of the program are the same as long as it runs.
func (r *reconciler) ofFlags(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `^hygiene: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

// What is handed over is written out.
func (r *reconciler) ofLiterals(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := withSelector(map[string]string{"disk": "ssd"})
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `^hygiene: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

func withSelector(nodes map[string]string) *appsv1.Deployment {
	return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{NodeSelector: nodes}}}}
}

// Only the labels are the user's.
func (r *reconciler) labelledPods(ctx context.Context, key client.ObjectKey, given *placement) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := withLabels(given)
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `^hygiene: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

func withLabels(given *placement) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Labels: given.Labels},
		Spec:       appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{HostNetwork: true}}},
	}
}

// Of other kinds little can be removed.

func (r *reconciler) disruption(ctx context.Context, key client.ObjectKey, given *placement) error {
	found := &policyv1.PodDisruptionBudget{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := budget(given)
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `^hygiene: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

func budget(given *placement) *policyv1.PodDisruptionBudget {
	least := intstr.FromInt32(1)
	made := &policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &least}}
	if given.Disruption != nil {
		made.Spec = *given.Disruption
	}
	return made
}

func (r *reconciler) variables(ctx context.Context, key client.ObjectKey, given *placement) error {
	found := &corev1.Secret{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := credentials(given)
	if !equality.Semantic.DeepDerivative(want.Data, found.Data) { // want `^hygiene: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

func credentials(given *placement) *corev1.Secret {
	data := map[string][]byte{"host": []byte(given.Host)}
	for _, variable := range given.Env {
		data[variable.Name] = []byte(variable.Value)
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Labels: given.Labels}, Data: data}
}

func (r *reconciler) routed(ctx context.Context, key client.ObjectKey, given *placement) error {
	found := &networkingv1.Ingress{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	want := route(given)
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) { // want `^hygiene: what was removed from the desired state`
		return r.Update(ctx, want)
	}
	return nil
}

func route(given *placement) *networkingv1.Ingress {
	made := &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Labels: given.Labels}}
	if given.Host != "" {
		made.Spec.IngressClassName = &given.Host
	}
	return made
}
