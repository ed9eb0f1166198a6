// Package kept has webhooks that read what other webhooks keep from being deleted.
package kept

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

var errInUse = errors.New("in use")

// clusters refuses that a Cluster is deleted which Backups refer to.
type clusters struct{ client.Client }

func (c *clusters) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (c *clusters) ValidateUpdate(_ context.Context, _, _ runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (c *clusters) ValidateDelete(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	cluster := obj.(*v1.Cluster)
	var backups v1.BackupList
	if err := c.List(ctx, &backups, client.MatchingLabels{"cluster": cluster.Name}); err != nil {
		return nil, err
	}
	if len(backups.Items) > 0 {
		return nil, errInUse
	}
	return nil, nil
}

// claims lets Claims go.
type claims struct{ client.Client }

func (c *claims) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (c *claims) ValidateUpdate(_ context.Context, _, _ runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (c *claims) ValidateDelete(_ context.Context, obj runtime.Object) (admission.Warnings, error) {
	_ = obj.(*v1.Claim)
	return nil, nil
}

// backups reads a Cluster, which is there as long as a Backup refers to it.
type backups struct{ client.Client }

func (b *backups) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	return nil, b.Get(ctx, types.NamespacedName{Name: backup.Labels["cluster"]}, &v1.Cluster{})
}

func (b *backups) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (b *backups) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// archives reads a Claim, which anybody may delete before.
type archives struct{ client.Client }

func (a *archives) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	archive := obj.(*v1.Backup)
	if err := a.Get(ctx, types.NamespacedName{Namespace: archive.Namespace, Name: archive.Labels["claim"]}, &v1.Claim{}); err != nil { // want `stays forever if the Claim is gone`
		return nil, err
	}
	return nil, nil
}

func (a *archives) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (a *archives) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}
