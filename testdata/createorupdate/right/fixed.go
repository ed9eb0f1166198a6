package right

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Template is the same for ever.
//
// +kubebuilder:object:root=true
type Template struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the spec never changes"
	Spec TemplateSpec `json:"spec"`
}

// TemplateSpec is what a template has.
type TemplateSpec struct {
	Chart string `json:"chart"`
}

// DeepCopyObject implements runtime.Object.
func (t *Template) DeepCopyObject() runtime.Object {
	out := *t
	t.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// The API server refuses another spec of a template that is there.
func createTemplate(ctx context.Context, c client.Client, name, chart string) error {
	template := &Template{ObjectMeta: metav1.ObjectMeta{Name: name}}
	template.Spec.Chart = chart
	_, err := controllerutil.CreateOrUpdate(ctx, c, template, func() error {
		template.Labels = map[string]string{"managed": "true"}
		return nil
	})
	return err
}

// The caller's function, which the one that is handed over calls, restores what the Get overwrites.
func restored(ctx context.Context, c client.Client, config *corev1.ConfigMap) error {
	files := config.BinaryData
	return applied(ctx, c, config, func() error {
		config.BinaryData = files
		return nil
	})
}

func restoredText(ctx context.Context, c client.Client, config *corev1.ConfigMap) error {
	text := config.Data
	return applied(ctx, c, config, func() error {
		config.Data = text
		return nil
	})
}

func applied(ctx context.Context, c client.Client, object client.Object, change controllerutil.MutateFn) error {
	_, err := controllerutil.CreateOrUpdate(ctx, c, object, func() error {
		object.SetAnnotations(map[string]string{"managed": "true"})
		if change != nil {
			return change()
		}
		return nil
	})
	return err
}

func files(ctx context.Context, c client.Client, key client.ObjectKey, content []byte) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}
	config.BinaryData = map[string][]byte{"archive": content}
	return restored(ctx, c, config)
}
