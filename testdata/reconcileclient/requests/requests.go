// Package requests talks to others over HTTP.
package requests

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

type Reconciler struct {
	url     string
	plain   *http.Client
	limited *http.Client
	given   *http.Client
	tls     *tls.Config
}

func New(url string, given *http.Client) *Reconciler {
	return &Reconciler{url: url, given: given, plain: &http.Client{}, limited: &http.Client{Timeout: time.Minute}}
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if _, err := http.Get(r.url); err != nil { // want `Reconcile waits forever if the server does not respond: http\.Get has no timeout; set http\.Client\.Timeout \(reconcileclient/no-timeout\)`
		return ctrl.Result{}, err
	}
	if err := r.post(ctx); err != nil {
		return ctrl.Result{}, err
	}
	r.transport()
	_ = r.api(true)
	r.measure(settings{})
	r.right(ctx)
	return ctrl.Result{}, nil
}

// The reconciler's context ends with the process.
func (r *Reconciler) post(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	if _, err := http.DefaultClient.Do(req); err != nil { // want `Reconcile waits forever if the server does not respond: http\.DefaultClient\.Do has no timeout.*reconcileclient/no-timeout`
		return err
	}
	if _, err := r.plain.Do(req); err != nil { // want `Reconcile waits forever if the server does not respond: r\.plain\.Do has no timeout.*reconcileclient/no-timeout`
		return err
	}
	own := http.Client{}
	_, err = own.Do(req) // want `Reconcile waits forever if the server does not respond: own\.Do has no timeout.*reconcileclient/no-timeout`
	return err
}

// Without a context.
func (r *Reconciler) handlers() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(any) {
			req, err := http.NewRequest(http.MethodDelete, r.url, nil)
			if err != nil {
				return
			}
			client := &http.Client{}
			_, _ = client.Do(req) // want `all later events wait forever if the server does not respond: client\.Do has no timeout.*reconcileclient/no-timeout`
		},
	}
}

// A transport of its own, each time.
func (r *Reconciler) transport() {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: r.tls}} // want `each Reconcile leaves a connection and two goroutines behind: it makes an http\.Transport; make it once, or set IdleConnTimeout \(reconcileclient/transport\)`
	_, _ = client.Get(r.url)
	insecure := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // want `each Reconcile leaves a connection and two goroutines behind: it makes an http\.Transport.*reconcileclient/transport`
	_, _ = (&http.Client{Transport: insecure, Timeout: time.Minute}).Get(r.url)
}

// Settings are no state, and a goroutine leaves its transport behind as well.
type settings struct{ insecure bool }

func (r *Reconciler) measure(s settings) {
	if s.insecure {
		go func() {
			client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: r.tls}} // want `each Reconcile leaves a connection and two goroutines behind: it makes an http\.Transport.*reconcileclient/transport`
			_, _ = client.Get(r.url)
		}()
	}
}

// For a client of another library.
type apiConfig struct{ RoundTripper http.RoundTripper }

func (r *Reconciler) api(insecure bool) *apiConfig {
	var transport http.RoundTripper = &http.Transport{TLSClientConfig: r.tls} // want `each Reconcile leaves a connection and two goroutines behind: it makes an http\.Transport.*reconcileclient/transport`
	if insecure {
		transport = http.DefaultTransport
	}
	return &apiConfig{RoundTripper: transport}
}

// What follows is right.

func (r *Reconciler) right(ctx context.Context) {
	_, _ = r.limited.Get(r.url)
	_, _ = r.given.Get(r.url) // who gives it may have set one
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return
	}
	_, _ = http.DefaultClient.Do(req)
	r.send(ctx)
	r.header(ctx)
}

// The deadline is the caller's.
func (r *Reconciler) send(ctx context.Context) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return
	}
	_, _ = http.DefaultClient.Do(req)
}

// The transport waits for a while only.
var patient = &http.Transport{ResponseHeaderTimeout: time.Minute}

func (r *Reconciler) header(ctx context.Context) {
	client := &http.Client{Transport: patient}
	_, _ = client.Get(r.url)
}

// A probe that runs at start.
func Probe(url string) error {
	_, err := http.Get(url)
	return err
}

// Habit asks in the same way again and again.
type Habit struct{}

func (r *Habit) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.first(req.Name); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.second(req.Name)
}

func (r *Habit) first(name string) error {
	client := &http.Client{}
	_, err := client.Get("http://first/" + name) // want `stuck: Reconcile waits forever if the server does not respond: client\.Get has no timeout.*no-timeout`
	return err
}

func (r *Habit) second(name string) error {
	client := &http.Client{}
	_, err := client.Get("http://second/" + name) // one habit: a related place of the first
	return err
}
