// Package right changes configurations that nobody else has, or that are meant
// to be changed.
package right

import (
	"context"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

type Reconciler struct {
	client.Client
	config *rest.Config
	once   sync.Once
	tuned  bool
}

// A copy, for whom the request names.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	config := rest.CopyConfig(r.config)
	config.Impersonate.UserName = req.Name
	if _, err := kubernetes.NewForConfig(config); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.shallow(req); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.remote(ctx, req); err != nil {
		return ctrl.Result{}, err
	}
	as(rest.CopyConfig(r.config), req.Name)
	r.once.Do(func() { r.config.QPS = 100 })
	if !r.tuned {
		r.config.Burst, r.tuned = 200, true
	}
	return ctrl.Result{}, nil
}

func as(config *rest.Config, user string) { config.Impersonate.UserName = user }

// An assignment copies as well.
func (r *Reconciler) shallow(req ctrl.Request) error {
	config := *r.config
	config.APIPath = "/api"
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs
	_, err := rest.RESTClientFor(&config)
	return err
}

// Another cluster's, read each time.
func (r *Reconciler) remote(ctx context.Context, req ctrl.Request) error {
	var secret corev1.Secret
	if err := r.Get(ctx, req.NamespacedName, &secret); err != nil {
		return err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 50, 100
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return rt })
	_, err = kubernetes.NewForConfig(config)
	return err
}

// Impersonate is replaced as a whole, with what it points to.
func (r *Reconciler) explained(reason string) (kubernetes.Interface, error) {
	config := rest.CopyConfig(r.config)
	config.Impersonate.Extra = map[string][]string{}
	config.Impersonate.Extra["reason"] = []string{reason}
	return kubernetes.NewForConfig(config)
}

// A copy of one's own configuration.
func ownExtra() *rest.Config {
	config := rest.CopyConfig(&rest.Config{Impersonate: rest.ImpersonationConfig{Extra: map[string][]string{}}})
	config.Impersonate.Extra["reason"] = []string{"none"}
	return config
}

// One after the other, of what nobody else has.
func clients() (dynamic.Interface, kubernetes.Interface, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, nil, err
	}
	config.QPS = 1000
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	config.ContentType = runtime.ContentTypeProtobuf
	kube, err := kubernetes.NewForConfig(config)
	return d, kube, err
}

// Handed over when it is done.
type Options struct {
	Config *rest.Config
	QPS    float32
	Kube   kubernetes.Interface
}

func (o *Options) init() error {
	config, err := clientcmd.BuildConfigFromFlags("", "")
	if err != nil {
		return err
	}
	config.ContentType = runtime.ContentTypeProtobuf
	o.Config = config
	o.Kube, err = kubernetes.NewForConfig(config)
	return err
}

// Handed over, and completed before anybody uses it.
func (o *Options) Complete() error {
	var err error
	if o.Config, err = ctrl.GetConfig(); err != nil {
		return err
	}
	o.Config.QPS = o.QPS
	o.Config.ContentType = runtime.ContentTypeProtobuf
	o.Kube, err = kubernetes.NewForConfig(o.Config)
	return err
}

// Rates are for all.
func (o *Options) Tune(qps float32) (dynamic.Interface, error) {
	o.Config.QPS = qps
	return dynamic.NewForConfig(o.Config)
}

func (o *Options) Get() *rest.Config { return o.Config }

// What the manager is made of may be changed before.
func run() error {
	config := ctrl.GetConfigOrDie()
	config.QPS = 100
	config.UserAgent = "right"
	mgr, err := ctrl.NewManager(config, ctrl.Options{})
	if err != nil {
		return err
	}
	own := rest.CopyConfig(mgr.GetConfig())
	own.ContentType = runtime.ContentTypeProtobuf
	if _, err := kubernetes.NewForConfig(own); err != nil {
		return err
	}
	return mgr.Start(context.Background())
}

// A builder, and options: it is what they are for.
type builder struct{ config *rest.Config }

func newBuilder() *builder { return &builder{config: &rest.Config{}} }

func (b *builder) withHost(host string) *builder {
	b.config.Host = host
	return b
}

func (b *builder) build() (kubernetes.Interface, error) { return kubernetes.NewForConfig(b.config) }

type Option func(*rest.Config)

func WithToken(token string) Option { return func(config *rest.Config) { config.BearerToken = token } }

func newConfig(options ...Option) *rest.Config {
	config := &rest.Config{}
	for _, option := range options {
		option(config)
	}
	return config
}

// What a generated clientset does.
func NewForConfig(c *rest.Config) (*rest.RESTClient, error) {
	config := *c
	setConfigDefaults(&config)
	return rest.RESTClientFor(&config)
}

func setConfigDefaults(config *rest.Config) {
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.APIPath = "/api"
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
}

// A constructor that is given a literal.
type storage struct{ config *rest.Config }

func newStorage(config *rest.Config) *storage {
	config.NegotiatedSerializer = scheme.Codecs
	return &storage{config: config}
}

func start() *storage { return newStorage(&rest.Config{Host: "https://127.0.0.1:6443"}) }

// Overrides are no configuration.
func overrides() *clientcmd.ConfigOverrides {
	o := &clientcmd.ConfigOverrides{}
	o.AuthInfo = clientcmdapi.AuthInfo{Impersonate: "somebody"}
	return o
}

// Read only.
func host(mgr manager.Manager) string { return mgr.GetConfig().Host }

// The constructors of clients set these fields for themselves.
func restClient(mgr manager.Manager) (rest.Interface, error) {
	config := mgr.GetConfig()
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs
	return rest.RESTClientFor(config)
}

// A literal changes what the copy has got before.
func (r *Reconciler) explainedByLiteral(reason string) (kubernetes.Interface, error) {
	config := rest.CopyConfig(r.config)
	config.Impersonate.Extra = map[string][]string{}
	explain := func() { config.Impersonate.Extra["reason"] = []string{reason} }
	explain()
	return kubernetes.NewForConfig(config)
}
