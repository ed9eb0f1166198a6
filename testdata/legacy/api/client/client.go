// Package client has the interfaces of a clientset as client-gen wrote them
// before Kubernetes 1.18: without a context and options.
package client

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

// Interface is the clientset.
type Interface interface {
	ExampleV1() ExampleV1Interface
}

// ExampleV1Interface is the client of the group.
type ExampleV1Interface interface {
	BackupsGetter
}

// BackupsGetter returns a BackupInterface.
type BackupsGetter interface {
	Backups(namespace string) BackupInterface
}

// BackupInterface has the methods to work with backups.
type BackupInterface interface {
	Create(*v1.Backup) (*v1.Backup, error)
	Update(*v1.Backup) (*v1.Backup, error)
	UpdateStatus(*v1.Backup) (*v1.Backup, error)
	Delete(name string, options *metav1.DeleteOptions) error
	DeleteCollection(options *metav1.DeleteOptions, listOptions metav1.ListOptions) error
	Get(name string, options metav1.GetOptions) (*v1.Backup, error)
	List(opts metav1.ListOptions) (*v1.BackupList, error)
	Watch(opts metav1.ListOptions) (watch.Interface, error)
	Patch(name string, pt types.PatchType, data []byte, subresources ...string) (result *v1.Backup, err error)
}
