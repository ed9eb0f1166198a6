package read

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/nilmap/read/lib"
)

// Functions of another package read the objects.

func markSecret(store *lib.Store, ns, name string) (*corev1.Secret, error) {
	secret, err := store.Secret(ns, name)
	if err != nil {
		return nil, err
	}
	secret.Annotations["marked"] = "true" // want `crash: this panics on the first Secret without annotations`
	return secret, nil
}

func markLive(ctx context.Context, store *lib.Store, ns, name string) (*corev1.Secret, error) {
	secret, err := store.Live(ctx, ns, name)
	if err != nil {
		return nil, err
	}
	secret.Annotations["marked"] = "true" // want `crash: this panics on the first Secret without annotations`
	return secret, nil
}

func markBackup(ctx context.Context, store *lib.Store, key client.ObjectKey) (*v1.Backup, error) {
	backup, err := store.Backup(ctx, key)
	if err != nil {
		return nil, err
	}
	if _, ok := backup.Annotations["marked"]; !ok {
		backup.Annotations["marked"] = "true" // want `crash: this panics on the first Backup without annotations`
	}
	return backup, nil
}

// Traps: the function makes the map, here or there.
func markAnnotated(ctx context.Context, store *lib.Store, key client.ObjectKey) (*v1.Backup, error) {
	backup, err := store.Annotated(ctx, key)
	if err != nil {
		return nil, err
	}
	backup.Annotations["marked"] = "true"
	return backup, nil
}

func markNew(ctx context.Context, store *lib.Store, key client.ObjectKey) (*corev1.LimitRange, error) {
	quota, err := store.OrNew(ctx, key)
	if err != nil {
		return nil, err
	}
	quota.Annotations["marked"] = "true"
	return quota, nil
}

func markMade(store *lib.Store, ns, name string) (*corev1.Secret, error) {
	secret, err := store.Secret(ns, name)
	if err != nil {
		return nil, err
	}
	if secret.Annotations == nil {
		secret.Annotations = make(map[string]string, 1)
	}
	secret.Annotations["marked"] = "true"
	return secret, nil
}

func markMarked(store *lib.Store, ns, name string) (*corev1.Secret, error) {
	secret, err := store.Secret(ns, name)
	if err != nil {
		return nil, err
	}
	if secret.Annotations["marked"] == "false" {
		secret.Annotations["marked"] = "true"
	}
	return secret, nil
}

// The module makes PodTemplates with labels: one that somebody has taken them off has none.
func newTemplate(name string) *corev1.PodTemplate {
	return &corev1.PodTemplate{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "backup"}}}
}

func markTemplate(ctx context.Context, c client.Client, key client.ObjectKey) error {
	template := &corev1.PodTemplate{}
	if err := c.Get(ctx, key, template); err != nil {
		return err
	}
	template.Labels["marked"] = "true" // want `crash: this panics on the first PodTemplate without labels`
	return c.Update(ctx, template)
}

// Listed in a namespace, or by labels, which says nothing of annotations.
func markListed(ctx context.Context, c client.Client, ns string) error {
	var claims corev1.PersistentVolumeClaimList
	if err := c.List(ctx, &claims, client.InNamespace(ns)); err != nil {
		return err
	}
	for i := range claims.Items {
		claims.Items[i].Labels["marked"] = "true" // want `crash: .* without labels`
	}
	var quotas corev1.ResourceQuotaList
	if err := c.List(ctx, &quotas, client.MatchingLabels{"app": ns}); err != nil {
		return err
	}
	for i := range quotas.Items {
		quotas.Items[i].Annotations["marked"] = "true" // want `crash: .* without annotations`
	}
	return nil
}
