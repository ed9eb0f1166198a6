package right

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type mapper struct{}

// merge fills the lease that was read, and tells so, or makes one.
func (mapper) merge(holder string, lease *coordinationv1.Lease) (*coordinationv1.Lease, bool) {
	read := false
	if lease == nil {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "backup"}}
	} else {
		lease.Labels = map[string]string{"by": "mapper"}
		read = true
	}
	lease.Spec.HolderIdentity = &holder
	return lease, read
}

// What is updated is what was read: each attempt asks for it again.
func mapped(ctx context.Context, c kubernetes.Interface, m mapper, holder string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		lease, err := c.CoordinationV1().Leases("default").Get(ctx, "backup", metav1.GetOptions{})
		if !apierrors.IsNotFound(err) && err != nil {
			return err
		} else if apierrors.IsNotFound(err) {
			lease = nil
		}
		lease, read := m.merge(holder, lease)
		if read {
			_, err = c.CoordinationV1().Leases("default").Update(ctx, lease, metav1.UpdateOptions{})
		} else {
			_, err = c.CoordinationV1().Leases("default").Create(ctx, lease, metav1.CreateOptions{})
		}
		if err != nil {
			return fmt.Errorf("writing the lease: %w", err)
		}
		return nil
	})
}

// The same for a custom resource, whose update would fail.
func mappedCustom(ctx context.Context, c client.Client, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		backup := &v1.Backup{}
		err := c.Get(ctx, key, backup)
		if apierrors.IsNotFound(err) {
			backup = nil
		} else if err != nil {
			return err
		}
		backup, read := mergeBackup(key, backup)
		if read {
			return c.Update(ctx, backup)
		}
		return c.Create(ctx, backup)
	})
}

func mergeBackup(key client.ObjectKey, backup *v1.Backup) (*v1.Backup, bool) {
	read := backup != nil
	if !read {
		backup = &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}
	}
	backup.Spec.Source = "data"
	return backup, read
}

// So it is in a loop.
func mappedInTurn(ctx context.Context, c client.Client, keys []client.ObjectKey) {
	for _, key := range keys {
		found := &v1.Backup{}
		err := c.Get(ctx, key, found)
		if err != nil && !apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			found = nil
		}
		backup, read := mergeBackup(key, found)
		if read {
			err = c.Update(ctx, backup)
		} else {
			err = c.Create(ctx, backup)
		}
		if err != nil {
			fmt.Println("writing the backup", err)
		}
	}
}
