package client

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// ClustersGetter returns a ClusterInterface.
type ClustersGetter interface {
	Clusters() ClusterInterface
}

// ClusterInterface has the methods to work with clusters.
type ClusterInterface interface {
	Create(ctx context.Context, cluster *v1.Cluster, opts metav1.CreateOptions) (*v1.Cluster, error)
	Update(ctx context.Context, cluster *v1.Cluster, opts metav1.UpdateOptions) (*v1.Cluster, error)
	UpdateStatus(ctx context.Context, cluster *v1.Cluster, opts metav1.UpdateOptions) (*v1.Cluster, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
	DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*v1.Cluster, error)
	List(ctx context.Context, opts metav1.ListOptions) (*v1.ClusterList, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (result *v1.Cluster, err error)
}

type clusters struct {
	*gentype.ClientWithList[*v1.Cluster, *v1.ClusterList]
}

func newClusters(c *ExampleV1Client) *clusters {
	return &clusters{
		gentype.NewClientWithList[*v1.Cluster, *v1.ClusterList](
			"clusters",
			c.RESTClient(),
			parameterCodec,
			"",
			func() *v1.Cluster { return &v1.Cluster{} },
			func() *v1.ClusterList { return &v1.ClusterList{} },
		),
	}
}
