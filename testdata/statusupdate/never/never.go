// Package never has the cases of statusupdate/never-persisted: an object is
// read, its status set, and nobody ever gets to see it.
package never

import (
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	last    *v1.Backup
	updates chan<- *v1.Backup
}

type controller struct {
	example exampleclient.Interface
	indexer cache.Indexer
}
