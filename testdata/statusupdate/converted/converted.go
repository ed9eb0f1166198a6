// Package converted has objects that are converted between versions: what the conversion
// sets is what is stored already.
package converted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// Release is the hub.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Release struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status State `json:"status,omitempty"`
}

// State is the status of a Release.
type State struct {
	Ready bool   `json:"ready,omitempty"`
	Text  string `json:"text,omitempty"`
}

func (r *Release) DeepCopyObject() runtime.Object { c := *r; return &c }

func (r *Release) Hub() {}

// OldRelease is an older version.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type OldRelease struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status State `json:"status,omitempty"`
}

func (o *OldRelease) DeepCopyObject() runtime.Object { c := *o; return &c }

func (o *OldRelease) ConvertTo(hub conversion.Hub) error {
	r := hub.(*Release)
	r.ObjectMeta = o.ObjectMeta
	if r.Annotations == nil {
		r.Annotations = make(map[string]string)
	}
	r.Annotations["original-version"] = "old"
	r.Status = o.Status
	return nil
}

func (o *OldRelease) ConvertFrom(hub conversion.Hub) error {
	r := hub.(*Release)
	o.ObjectMeta = r.ObjectMeta
	o.Status = State{Ready: r.Status.Ready, Text: r.Status.Text}
	return nil
}

type reconciler struct {
	client.Client
}

func (r *reconciler) writesTheStatusOfAConvertedObject(ctx context.Context, old *OldRelease) error {
	release := &Release{}
	if err := old.ConvertTo(release); err != nil {
		return err
	}
	release.Status.Text = "deprecated"
	return r.Status().Update(ctx, release)
}

func (r *reconciler) storesALabelOfAConvertedObject(ctx context.Context, release *Release) error {
	old := &OldRelease{}
	if err := old.ConvertFrom(release); err != nil {
		return err
	}
	old.Labels = map[string]string{"stored": "true"}
	return r.Update(ctx, old)
}

func (r *reconciler) dropsALabelOfItsOwn(ctx context.Context, old *OldRelease) error {
	release := &Release{}
	if err := old.ConvertTo(release); err != nil {
		return err
	}
	release.Labels = map[string]string{"ready": "true"}
	release.Status.Ready = true
	return r.Status().Update(ctx, release) // want `labels changed on line 93 are dropped.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) dropsAStatusOfItsOwn(ctx context.Context, release *Release) error {
	old := &OldRelease{}
	if err := old.ConvertFrom(release); err != nil {
		return err
	}
	old.Status.Ready = true
	return r.Update(ctx, old) // want `status set on line 103 is dropped.*\(statusupdate/dropped-by-update\)`
}
