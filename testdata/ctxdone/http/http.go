// Package http has handlers that talk to others.
package http

import (
	"context"
	"database/sql"
	"net"
	"net/http"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// server serves requests.
type server struct {
	client   *http.Client
	db       *sql.DB
	upstream string
}

func newServer(upstream string) *server {
	return &server{client: &http.Client{Transport: &http.Transport{MaxIdleConns: 10}}, upstream: upstream}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resp, err := http.Get(s.upstream) // want `requests pile up here if no response comes: http\.Get waits for it without a context; use http\.NewRequestWithContext with r\.Context\(\).*ctxdone/http`
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	s.forward(w, r)
	s.count(w)
	s.kept(r)
	s.bounded()
	s.inBackground()
	s.local()
}

// forward builds its request without the context.
func (s *server) forward(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequest(http.MethodGet, s.upstream, nil) // want `requests pile up here if no response comes: http\.NewRequest waits for it without a context; use http\.NewRequestWithContext with r\.Context\(\)`
	if err != nil {
		return
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return
	}
	_ = resp.Body.Close()
}

// count asks the database, and has no context of its own.
func (s *server) count(w http.ResponseWriter) {
	rows, err := s.db.Query("SELECT count(*) FROM backups") // want `requests pile up here if no response comes: Query waits for it without a context; use QueryContext with the request's context`
	if err == nil {
		_ = rows.Close()
	}
}

// kept gives the request its context afterwards: not a finding.
func (s *server) kept(r *http.Request) {
	req, err := http.NewRequest(http.MethodGet, s.upstream, nil)
	if err != nil {
		return
	}
	req = req.WithContext(r.Context())
	if resp, err := s.client.Do(req); err == nil {
		_ = resp.Body.Close()
	}
	if req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, s.upstream, nil); err == nil {
		if resp, err := s.client.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}
}

// bounded gives up by itself: not a finding.
func (s *server) bounded() {
	c := &http.Client{Timeout: 2 * time.Second}
	if resp, err := c.Get(s.upstream); err == nil {
		_ = resp.Body.Close()
	}
}

// inBackground does not let the client wait: not a finding.
func (s *server) inBackground() {
	go func() {
		if resp, err := http.Get(s.upstream); err == nil {
			_ = resp.Body.Close()
		}
	}()
}

// local talks to the same machine: not a finding.
func (s *server) local() {
	if conn, err := net.Dial("unix", "/run/agent.sock"); err == nil {
		_ = conn.Close()
	}
}

// validator is an admission webhook.
type validator struct{ client *http.Client }

func newValidator() *validator { return &validator{client: &http.Client{}} }

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	conn, err := net.Dial("tcp", "policy:80") // want `requests pile up here if no response comes: net\.Dial waits for it without a context; use net\.Dialer\.DialContext with ctx`
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	_ = conn.Close()
	resp, err := v.client.Post("http://policy/check", "application/json", nil) // want `requests pile up here if no response comes: Post waits for it without a context`
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	_ = resp.Body.Close()
	return admission.Allowed("")
}

// wrapped is a handler of a framework.
func wrapped(w http.ResponseWriter, r *http.Request) error {
	resp, err := http.Get("http://upstream") // want `requests pile up here if no response comes: http\.Get waits for it without a context`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// direct answers itself: not a finding.
func direct(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusNoContent)
}

// template builds a request that is sent elsewhere: not a finding.
func template(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	return http.NewRequest(http.MethodGet, r.URL.String(), nil)
}

// Reconciler is no handler: not a finding here.
type Reconciler struct{ client.Client }

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	resp, err := http.Get("http://upstream/" + req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, resp.Body.Close()
}

// patient and impatient are clients that the whole package uses.
var (
	patient   = &http.Client{}
	impatient = &http.Client{Timeout: 30 * time.Second}
	byValue   = http.Client{Timeout: 30 * time.Second}
)

// shared sends requests by clients of the package.
type shared struct{ upstream string }

func (s *shared) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if resp, err := impatient.Get(s.upstream); err == nil {
		_ = resp.Body.Close()
	}
	if resp, err := byValue.Head(s.upstream); err == nil {
		_ = resp.Body.Close()
	}
	if resp, err := patient.Get(s.upstream); err == nil { // want `requests pile up here if no response comes: Get waits for it without a context`
		_ = resp.Body.Close()
	}
}
