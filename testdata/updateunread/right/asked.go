package right

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// One variable has what was read or, where there is none, a new one, which is created.
func oneVariable(ctx context.Context, c kubernetes.Interface, holder string) error {
	lease, err := c.CoordinationV1().Leases("default").Get(ctx, "backup", metav1.GetOptions{})
	isMissing := apierrors.IsNotFound(err)
	if err != nil && !isMissing {
		return err
	}
	if isMissing {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "backup"}}
	}
	lease.Spec.HolderIdentity = &holder
	if isMissing {
		_, err := c.CoordinationV1().Leases("default").Create(ctx, lease, metav1.CreateOptions{})
		return err
	}
	_, err = c.CoordinationV1().Leases("default").Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

// The function that makes the object takes the version of the existing one over, if it is handed one.
func madeFrom(ctx context.Context, c client.Client, schedule *v1.Schedule, existing *v1.Backup) error {
	if existing == nil {
		return c.Create(ctx, newBackupFrom(schedule, nil))
	}
	return c.Update(ctx, newBackupFrom(schedule, existing))
}

func newBackupFrom(schedule *v1.Schedule, existing *v1.Backup) *v1.Backup {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: schedule.Name, Namespace: schedule.Namespace}}
	if existing != nil {
		backup.ResourceVersion = existing.ResourceVersion
	}
	return backup
}

// The function that makes the object creates it as well.
func madeAndCreated(ctx context.Context, c client.Client, name string) error {
	backup, err := createBackup(ctx, c, name)
	if err != nil {
		return err
	}
	backup.Spec.Source = "data"
	return c.Update(ctx, backup)
}

func createBackup(ctx context.Context, c client.Client, name string) (*v1.Backup, error) {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := c.Create(ctx, backup); err != nil {
		return nil, err
	}
	return backup, nil
}
