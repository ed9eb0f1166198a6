package shared

import (
	"context"
	"net/http"
	"time"
)

// Registry and Table are implemented in another package, which this one does not import.
type (
	Registry interface {
		Tags(ctx context.Context) ([]string, error)
	}
	Table interface {
		Rows(ctx context.Context) ([]string, error)
	}
)

// MadeUp is called by the manager, and only ever with a context that nothing ends.
func MadeUp(ctx context.Context) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://made.up", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Behind calls what waits for a service, though nothing here shows that, and has less time.
func Behind(ctx context.Context, registry Registry) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return registry.Tags(context.Background())
}

// InMemory calls what waits for nothing.
func InMemory(ctx context.Context, table Table) ([]string, error) {
	return table.Rows(context.Background())
}

// WithHelper calls a helper that has no context to hand on to what is behind the interface: it
// would have to take one, and who waits for a service behind it is no worse off.
func WithHelper(ctx context.Context, registry Registry, table Table) error {
	if err := list(table); err != nil {
		return err
	}
	return ask(registry)
}

func ask(registry Registry) error {
	_, err := registry.Tags(context.TODO())
	return err
}

func list(table Table) error {
	_, err := table.Rows(context.TODO())
	return err
}
