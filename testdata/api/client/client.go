// Package client is a clientset for the kinds of api/v1 in the shape that
// client-gen gives to the clientsets of all projects.
package client

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Interface is the clientset.
type Interface interface {
	ExampleV1() ExampleV1Interface
}

// Clientset implements Interface.
type Clientset struct {
	exampleV1 *ExampleV1Client
}

// ExampleV1 returns the client of the group.
func (c *Clientset) ExampleV1() ExampleV1Interface { return c.exampleV1 }

// NewForConfig makes a clientset.
func NewForConfig(config *rest.Config) (*Clientset, error) {
	copied := *config
	copied.GroupVersion = &v1.GroupVersion
	copied.APIPath = "/apis"
	copied.NegotiatedSerializer = codecs.WithoutConversion()
	restClient, err := rest.RESTClientFor(&copied)
	if err != nil {
		return nil, err
	}
	return &Clientset{exampleV1: &ExampleV1Client{restClient: restClient}}, nil
}

var (
	scheme         = newScheme()
	codecs         = serializer.NewCodecFactory(scheme)
	parameterCodec = runtime.NewParameterCodec(scheme)
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	if err := v1.AddToScheme(s); err != nil {
		panic(err)
	}
	return s
}

// ExampleV1Interface is the client of the group.
type ExampleV1Interface interface {
	RESTClient() rest.Interface
	BackupsGetter
	ClustersGetter
	SchedulesGetter
	ArchivesGetter
}

// ExampleV1Client implements ExampleV1Interface.
type ExampleV1Client struct {
	restClient rest.Interface
}

// RESTClient returns the client that talks to the API server.
func (c *ExampleV1Client) RESTClient() rest.Interface { return c.restClient }

// Backups implements BackupsGetter.
func (c *ExampleV1Client) Backups(namespace string) BackupInterface { return newBackups(c, namespace) }

// Clusters implements ClustersGetter.
func (c *ExampleV1Client) Clusters() ClusterInterface { return newClusters(c) }

// Schedules implements SchedulesGetter.
func (c *ExampleV1Client) Schedules(namespace string) ScheduleInterface {
	return newSchedules(c, namespace)
}

// Archives implements ArchivesGetter.
func (c *ExampleV1Client) Archives(namespace string) ArchiveInterface {
	return newArchives(c, namespace)
}
