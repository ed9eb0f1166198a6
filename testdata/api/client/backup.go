package client

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"

	"github.com/opvet/opvet/testdata/api/apply"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// BackupsGetter returns a BackupInterface.
type BackupsGetter interface {
	Backups(namespace string) BackupInterface
}

// BackupInterface has the methods to work with backups.
type BackupInterface interface {
	Create(ctx context.Context, backup *v1.Backup, opts metav1.CreateOptions) (*v1.Backup, error)
	Update(ctx context.Context, backup *v1.Backup, opts metav1.UpdateOptions) (*v1.Backup, error)
	UpdateStatus(ctx context.Context, backup *v1.Backup, opts metav1.UpdateOptions) (*v1.Backup, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
	DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*v1.Backup, error)
	List(ctx context.Context, opts metav1.ListOptions) (*v1.BackupList, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (result *v1.Backup, err error)
	Apply(ctx context.Context, backup *apply.BackupApplyConfiguration, opts metav1.ApplyOptions) (result *v1.Backup, err error)
	ApplyStatus(ctx context.Context, backup *apply.BackupApplyConfiguration, opts metav1.ApplyOptions) (result *v1.Backup, err error)
}

type backups struct {
	*gentype.ClientWithListAndApply[*v1.Backup, *v1.BackupList, *apply.BackupApplyConfiguration]
}

func newBackups(c *ExampleV1Client, namespace string) *backups {
	return &backups{
		gentype.NewClientWithListAndApply[*v1.Backup, *v1.BackupList, *apply.BackupApplyConfiguration](
			"backups",
			c.RESTClient(),
			parameterCodec,
			namespace,
			func() *v1.Backup { return &v1.Backup{} },
			func() *v1.BackupList { return &v1.BackupList{} },
		),
	}
}
