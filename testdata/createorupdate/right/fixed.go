package right

import (
	"context"

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
