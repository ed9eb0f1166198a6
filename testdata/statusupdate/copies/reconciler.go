// Package copies has the cases of statusupdate/copy-not-written: the status is
// changed on a copy that never goes back into the object that is written.
package copies

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
