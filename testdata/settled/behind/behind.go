// Package behind has what is behind interfaces of package shared, which does not import it.
package behind

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/types"
)

// Registry is asked over the network.
type Registry struct {
	URL   string
	Owner types.NamespacedName
}

// Tags waits for the registry as long as that takes.
func (r *Registry) Tags(ctx context.Context) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	return nil, resp.Body.Close()
}

// Table is in memory.
type Table struct{}

// Rows ignores its context.
func (Table) Rows(ctx context.Context) ([]string, error) { return nil, nil }
