// Package escapes has handlers of requests that start goroutines.
package escapes

import (
	"context"
	"net/http"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type handler struct{ client client.Client }

func (h *handler) record(ctx context.Context, name string) error {
	return h.client.Create(ctx, &v1.Backup{})
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	go h.record(r.Context(), "a") // want `loss: r\.Context\(\) ends when ServeHTTP returns: record in the goroutine fails or stops half-way; .*WithoutCancel \(detachedctx/escapes\)`
	w.WriteHeader(http.StatusAccepted)
}

func (h *handler) literal(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	go func() { // want `loss: r\.Context\(\) ends when literal returns: Create in the goroutine fails or stops half-way; .*WithoutCancel \(detachedctx/escapes\)`
		_ = h.client.Create(ctx, &v1.Backup{})
	}()
}

func (h *handler) insideLiteral(w http.ResponseWriter, r *http.Request) {
	go func() { // want `loss: r\.Context\(\) ends when insideLiteral returns: Create in the goroutine fails or stops half-way; .*WithoutCancel \(detachedctx/escapes\)`
		limited, cancel := context.WithTimeout(r.Context(), time.Minute)
		defer cancel()
		_ = h.client.Create(limited, &v1.Backup{})
	}()
}

// webhook answers admission requests.
type webhook struct{ client client.Client }

func (h *webhook) Handle(ctx context.Context, req admission.Request) admission.Response {
	go func() { // want `loss: ctx ends when Handle returns: Create in the goroutine fails or stops half-way; .*WithoutCancel \(detachedctx/escapes\)`
		_ = h.client.Create(ctx, &v1.Backup{})
	}()
	return admission.Allowed("")
}

// UnimplementedBackupsServer is what protobuf generates.
type UnimplementedBackupsServer struct{}

type server struct {
	UnimplementedBackupsServer
	client client.Client
}

// Start answers a call of gRPC.
func (s *server) Begin(ctx context.Context, name *string) (*string, error) {
	go func() { // want `loss: ctx ends when Begin returns: Create in the goroutine fails or stops half-way; .*WithoutCancel \(detachedctx/escapes\)`
		_ = s.client.Create(ctx, &v1.Backup{})
	}()
	return name, nil
}

func (h *handler) trapOfWaiting(w http.ResponseWriter, r *http.Request) {
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		defer group.Done()
		_ = h.client.Create(r.Context(), &v1.Backup{})
	}()
	group.Wait()
}

func (h *handler) trapOfResult(w http.ResponseWriter, r *http.Request) {
	done := make(chan error, 1)
	go func() { done <- h.client.Create(r.Context(), &v1.Backup{}) }()
	<-done
}

func (h *handler) trapOfWorkBeside(w http.ResponseWriter, r *http.Request) {
	go h.record(r.Context(), "a")
	_ = h.client.Get(r.Context(), client.ObjectKey{Name: "a"}, &v1.Backup{})
}

func (h *handler) trapOfSevered(w http.ResponseWriter, r *http.Request) {
	go h.record(context.WithoutCancel(r.Context()), "a")
}

func (h *handler) trapOfWaitingForTheEnd(w http.ResponseWriter, r *http.Request) {
	go func() {
		<-r.Context().Done()
		_ = h.client.Delete(context.Background(), &v1.Backup{})
	}()
}

func (h *handler) trapOfLogging(w http.ResponseWriter, r *http.Request) {
	go logs(r.Context())
}

func logs(ctx context.Context) {}
