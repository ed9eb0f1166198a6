package waits

import (
	"context"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// api asks another server.
type api struct {
	http   *http.Client
	client client.Client
}

// The request is the program's own: whoever made it has the context.
func (a *api) do(req *http.Request) (*http.Response, error) {
	var backup v1.Backup
	if err := a.client.Get(context.Background(), client.ObjectKey{Name: "token"}, &backup); err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", backup.Name)
	return a.http.Do(req)
}

// So is one that is handed on to what sends it.
func (a *api) send(req *http.Request) error {
	if err := a.client.Get(context.Background(), client.ObjectKey{Name: "token"}, &v1.Backup{}); err != nil {
		return err
	}
	_, err := a.do(req)
	return err
}

// A transport sends what it gets.
func (a *api) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := a.client.Get(context.Background(), client.ObjectKey{Name: "token"}, &v1.Backup{}); err != nil {
		return nil, err
	}
	return http.DefaultTransport.RoundTrip(req)
}

// Its only caller has made it.
func (a *api) sign(req *http.Request) error {
	return a.client.Get(context.Background(), client.ObjectKey{Name: "token"}, &v1.Backup{})
}

func (a *api) ping(url string) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	return a.sign(req)
}

// This one is answered.
func (a *api) serve(w http.ResponseWriter, req *http.Request) {
	if err := a.client.Get(context.Background(), client.ObjectKey{Name: "a"}, &v1.Backup{}); err != nil { // want `hygiene: Get .*; pass req.Context\(\)`
		w.WriteHeader(http.StatusNotFound)
	}
}

// The default client waits as long as the other side likes.
func (a *api) fetch(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil) // want `stuck: if NewRequestWithContext under context.Background\(\) hangs`
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
