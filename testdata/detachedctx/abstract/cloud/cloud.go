// Package cloud has an interface together with what implements it.
package cloud

import (
	"context"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Volumes is what controllers use.
type Volumes interface {
	Attach(ctx context.Context, id string) error
	Name(ctx context.Context, id string) (string, error)
}

// HTTP asks a server.
type HTTP struct{ Client *http.Client }

// Attach waits for the server.
func (h *HTTP) Attach(ctx context.Context, id string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://example.com/volumes/"+id, nil)
	if err != nil {
		return err
	}
	resp, err := h.Client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Name knows the answer.
func (h *HTTP) Name(ctx context.Context, id string) (string, error) {
	log.FromContext(ctx).Info("named", "id", id)
	return "volume-" + id, nil
}
