// Package metadata has the cases of statusupdate/metadata-dropped: the status
// endpoint ignores everything but the status.
package metadata

import (
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
)

type reconciler struct {
	client.Client
}

type controller struct {
	core    kubernetes.Interface
	example exampleclient.Interface
	dynamic dynamic.Interface
}
