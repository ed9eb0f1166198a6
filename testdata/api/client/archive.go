package client

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// ArchivesGetter returns a ArchiveInterface.
type ArchivesGetter interface {
	Archives(namespace string) ArchiveInterface
}

// ArchiveInterface has the methods to work with archives.
type ArchiveInterface interface {
	Create(ctx context.Context, archive *v1.Archive, opts metav1.CreateOptions) (*v1.Archive, error)
	Update(ctx context.Context, archive *v1.Archive, opts metav1.UpdateOptions) (*v1.Archive, error)
	UpdateStatus(ctx context.Context, archive *v1.Archive, opts metav1.UpdateOptions) (*v1.Archive, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
	DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*v1.Archive, error)
	List(ctx context.Context, opts metav1.ListOptions) (*v1.ArchiveList, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (result *v1.Archive, err error)
}

type archives struct {
	*gentype.ClientWithList[*v1.Archive, *v1.ArchiveList]
}

func newArchives(c *ExampleV1Client, namespace string) *archives {
	return &archives{
		gentype.NewClientWithList[*v1.Archive, *v1.ArchiveList](
			"archives",
			c.RESTClient(),
			parameterCodec,
			namespace,
			func() *v1.Archive { return &v1.Archive{} },
			func() *v1.ArchiveList { return &v1.ArchiveList{} },
		),
	}
}
