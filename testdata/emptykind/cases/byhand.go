package cases

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// stacks is a client that is made by hand: which codec it has, and so whether the kind stays, is
// said where its REST client is made.
type stacks struct{ rest rest.Interface }

func (s *stacks) Get(ctx context.Context, name string, options metav1.GetOptions) (*appsv1.StatefulSet, error) {
	result := &appsv1.StatefulSet{}
	err := s.rest.Get().Resource("statefulsets").Name(name).Do(ctx).Into(result)
	return result, err
}

func ownedByStack(ctx context.Context, s *stacks, name string) (*metav1.OwnerReference, error) {
	set, err := s.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &metav1.OwnerReference{APIVersion: set.APIVersion, Kind: set.Kind, Name: set.Name, UID: set.UID}, nil
}
