// Package registered has webhooks that manifests register.
package registered

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type defaulter struct{ client client.Client }

func (d *defaulter) Default(ctx context.Context, obj runtime.Object) error {
	claim := obj.(*v1.Claim)
	return d.client.Get(ctx, client.ObjectKey{Namespace: claim.Namespace, Name: "defaults"}, &corev1.ConfigMap{}) // want `stuck: an object that is being deleted stays forever if the ConfigMap is gone`
}

// archives is registered for their creation only.
type archives struct{ client client.Client }

func (d *archives) Default(ctx context.Context, obj runtime.Object) error {
	archive := obj.(*v1.Archive)
	return d.client.Get(ctx, client.ObjectKey{Namespace: archive.Namespace, Name: "defaults"}, &corev1.ConfigMap{}) // want `hygiene: an object that is being deleted stays forever if the ConfigMap is gone`
}

// plans is not asked about the operator's own updates, as a patch of its configuration says.
type plans struct{ client client.Client }

func (d *plans) Default(ctx context.Context, obj runtime.Object) error {
	plan := obj.(*v1.Schedule)
	return d.client.Get(ctx, client.ObjectKey{Namespace: plan.Namespace, Name: "defaults"}, &corev1.ConfigMap{}) // want `hygiene: an object that is being deleted stays forever if the ConfigMap is gone`
}

// copies is not asked about the garbage collector's only.
type copies struct{ client client.Client }

func (d *copies) Default(ctx context.Context, obj runtime.Object) error {
	plan := obj.(*v1.Cluster)
	return d.client.Get(ctx, client.ObjectKey{Namespace: plan.Namespace, Name: "defaults"}, &corev1.ConfigMap{}) // want `stuck: an object that is being deleted stays forever if the ConfigMap is gone`
}
