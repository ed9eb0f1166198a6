// Package export tells the outside what the operator runs: an archive, and the
// owners of namespaces.
package export

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// Archive has the kinds that backups are exported as.
var Archive = runtime.NewScheme()

func init() {
	_ = v1alpha1.AddToScheme(Archive)
	Archive.AddKnownTypes(schema.GroupVersion{Group: v1alpha1.GroupVersion.Group, Version: "v1beta1"}, &v1alpha1.CacheBackup{})
}

// sessions has clients for those who list what was exported.
var sessions = sync.Pool{New: func() any { return kubernetes.NewForConfigOrDie(ctrl.GetConfigOrDie()) }}

// Exported counts the Services that were exported.
func Exported(ctx context.Context) (int, error) {
	session := sessions.Get().(*kubernetes.Clientset)
	defer sessions.Put(session)
	services, err := session.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{LabelSelector: "cache.demo.opvet.dev/exported"})
	if err != nil {
		return 0, fmt.Errorf("listing exported services: %w", err)
	}
	return len(services.Items), nil
}

// Reconciler exports the Services of caches.
type Reconciler struct {
	client.Client
	Config *rest.Config
	TLS    *tls.Config
	URL    string
}

// Reconcile exports one Service with its endpoints.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := discoveryv1.AddToScheme(r.Scheme()); err != nil {
		return ctrl.Result{}, fmt.Errorf("registering endpoint slices: %w", err)
	}
	kube, err := kubernetes.NewForConfig(r.Config)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("making a client: %w", err)
	}
	slices, err := kube.DiscoveryV1().EndpointSlices(req.Namespace).List(ctx, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + req.Name})
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("listing the endpoints of %s: %w", req, err)
	}
	if err := r.ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	paused, err := r.paused(ctx, req.Namespace)
	if err != nil || paused {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.push(ctx, slices)
}

// paused tells whether a namespace is not exported for now. It asks the API
// server itself, to hear of it at once.
func (r *Reconciler) paused(ctx context.Context, name string) (bool, error) {
	direct, err := cluster.New(r.Config)
	if err != nil {
		return false, fmt.Errorf("connecting: %w", err)
	}
	var namespace corev1.Namespace
	if err := direct.GetAPIReader().Get(ctx, client.ObjectKey{Name: name}, &namespace); err != nil {
		return false, fmt.Errorf("reading the namespace %s: %w", name, err)
	}
	return namespace.Annotations["cache.demo.opvet.dev/paused"] == "true", nil
}

// ready asks whether the archive takes anything.
func (r *Reconciler) ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL+"/ready", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking the archive: %w", err)
	}
	return resp.Body.Close()
}

// push sends what was found to the archive.
func (r *Reconciler) push(ctx context.Context, slices *discoveryv1.EndpointSliceList) error {
	body, err := json.Marshal(slices)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, r.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	archive := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: r.TLS}}
	resp, err := archive.Do(req)
	if err != nil {
		return fmt.Errorf("sending to the archive: %w", err)
	}
	return resp.Body.Close()
}

// SetupWithManager registers the reconciler.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("export").For(&corev1.Service{}).Complete(r)
}
