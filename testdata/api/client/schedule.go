package client

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// SchedulesGetter returns a ScheduleInterface.
type SchedulesGetter interface {
	Schedules(namespace string) ScheduleInterface
}

// ScheduleInterface has the methods to work with schedules.
type ScheduleInterface interface {
	Create(ctx context.Context, schedule *v1.Schedule, opts metav1.CreateOptions) (*v1.Schedule, error)
	Update(ctx context.Context, schedule *v1.Schedule, opts metav1.UpdateOptions) (*v1.Schedule, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
	DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*v1.Schedule, error)
	List(ctx context.Context, opts metav1.ListOptions) (*v1.ScheduleList, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (result *v1.Schedule, err error)
}

type schedules struct {
	*gentype.ClientWithList[*v1.Schedule, *v1.ScheduleList]
}

func newSchedules(c *ExampleV1Client, namespace string) *schedules {
	return &schedules{
		gentype.NewClientWithList[*v1.Schedule, *v1.ScheduleList](
			"schedules",
			c.RESTClient(),
			parameterCodec,
			namespace,
			func() *v1.Schedule { return &v1.Schedule{} },
			func() *v1.ScheduleList { return &v1.ScheduleList{} },
		),
	}
}
