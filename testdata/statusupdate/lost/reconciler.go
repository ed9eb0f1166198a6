// Package lost has the cases of statusupdate/lost-on-update: a write of the
// main endpoint overwrites the object in memory with the server's answer, so
// that the status write that follows stores the old status again.
package lost

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
)

type reconciler struct {
	client.Client
}

type controller struct {
	example exampleclient.Interface
}
