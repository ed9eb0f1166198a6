// Package right builds clients for each request that must be, or at other times.
package right

import (
	"context"
	"crypto/tls"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type Reconciler struct {
	client.Client
	config  *rest.Config
	clients map[types.NamespacedName]kubernetes.Interface
	configs map[string]*rest.Config
	mu      sync.Mutex
	once    sync.Once
	kube    kubernetes.Interface
	stored  sync.Map
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	for _, step := range []func(context.Context, ctrl.Request) error{r.remote, r.impersonatedInLiteral, r.unknownInLiteral, r.viaHelper, r.literal, r.impersonated, r.named, r.cached, r.lazily, r.first, r.keptInMap, r.inSyncMap, r.exec} {
		if err := step(ctx, req); err != nil {
			return ctrl.Result{}, err
		}
	}
	r.dry()
	return ctrl.Result{}, nil
}

// Another cluster, whose kubeconfig is read from a Secret.
func (r *Reconciler) remote(ctx context.Context, req ctrl.Request) error {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, req.NamespacedName, secret); err != nil {
		return err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	if err != nil {
		return err
	}
	_, err = kubernetes.NewForConfig(config)
	return err
}

// The same, by a helper that returns the configuration.
func (r *Reconciler) viaHelper(ctx context.Context, req ctrl.Request) error {
	config, err := r.configOf(ctx, req.NamespacedName)
	if err != nil {
		return err
	}
	_, err = client.New(config, client.Options{})
	return err
}

func (r *Reconciler) configOf(ctx context.Context, name types.NamespacedName) (*rest.Config, error) {
	var secret corev1.Secret
	if err := r.Get(ctx, name, &secret); err != nil {
		return nil, err
	}
	loaded, err := clientcmd.NewClientConfigFromBytes(secret.Data["kubeconfig"])
	if err != nil {
		return nil, err
	}
	return loaded.ClientConfig()
}

// Credentials of the object's own.
func (r *Reconciler) literal(ctx context.Context, req ctrl.Request) error {
	var secret corev1.Secret
	if err := r.Get(ctx, req.NamespacedName, &secret); err != nil {
		return err
	}
	_, err := kubernetes.NewForConfig(&rest.Config{Host: string(secret.Data["host"]), BearerToken: string(secret.Data["token"])})
	return err
}

// As somebody else, who the request names.
func (r *Reconciler) impersonated(_ context.Context, req ctrl.Request) error {
	config := rest.CopyConfig(r.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + req.Namespace + ":deployer"}
	_, err := kubernetes.NewForConfig(config)
	return err
}

// One of several clusters.
func (r *Reconciler) named(_ context.Context, req ctrl.Request) error {
	_, err := kubernetes.NewForConfig(r.configs[req.Namespace])
	return err
}

// Kept for the next time.
func (r *Reconciler) cached(_ context.Context, req ctrl.Request) error {
	if _, ok := r.clients[req.NamespacedName]; !ok {
		kube, err := kubernetes.NewForConfig(r.config)
		if err != nil {
			return err
		}
		r.clients[req.NamespacedName] = kube
	}
	return nil
}

// Once only.
func (r *Reconciler) lazily(context.Context, ctrl.Request) error {
	if r.kube == nil {
		kube, err := kubernetes.NewForConfig(r.config)
		if err != nil {
			return err
		}
		r.kube = kube
	}
	return nil
}

func (r *Reconciler) first(context.Context, ctrl.Request) error {
	r.once.Do(func() { r.kube = kubernetes.NewForConfigOrDie(r.config) })
	return nil
}

// By a function that does not know that it is kept.
func (r *Reconciler) build() (kubernetes.Interface, error) { return kubernetes.NewForConfig(r.config) }

func (r *Reconciler) keptInMap(_ context.Context, req ctrl.Request) error {
	kube, err := r.build()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clients[req.NamespacedName] = kube
	return nil
}

func (r *Reconciler) inSyncMap(_ context.Context, req ctrl.Request) error {
	kube, err := kubernetes.NewForConfig(r.config)
	if err != nil {
		return err
	}
	r.stored.Store(req.NamespacedName, kube)
	return nil
}

// What a command in a Pod needs is no client.
func (r *Reconciler) exec(ctx context.Context, req ctrl.Request) error {
	_, err := rest.TransportFor(r.config)
	return err
}

// A fake has neither.
func (r *Reconciler) dry() kubernetes.Interface { return fake.NewSimpleClientset() }

// informers are kept for each cluster.
type informerManager interface {
	Has(cluster string) bool
	Add(cluster string, kube kubernetes.Interface)
}

type joined struct {
	config    *rest.Config
	informers informerManager
}

// A cluster that is not known yet.
func (j *joined) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !j.informers.Has(req.Name) {
		host := kubernetes.NewForConfigOrDie(j.config)
		if _, err := host.CoreV1().Secrets(req.Namespace).Get(ctx, req.Name, metav1.GetOptions{}); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

// Set up, and commands.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	kube, err := kubernetes.NewForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	r.kube = kube
	factory := informers.NewSharedInformerFactory(kube, time.Hour)
	_ = factory
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(r)
}

func command() error {
	kube, err := kubernetes.NewForConfig(ctrl.GetConfigOrDie())
	if err != nil {
		return err
	}
	_, err = kube.Discovery().ServerVersion()
	return err
}

// Once, when the manager starts.
func (r *Reconciler) Start(ctx context.Context) error {
	_, err := kubernetes.NewForConfig(r.config)
	return err
}

// A cluster that was joined once has a struct of its own, which the request
// finds.
type member struct{ config *rest.Config }

type members struct{ byName map[string]*member }

func (m *members) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	found := m.byName[req.Name]
	return ctrl.Result{}, found.check()
}

func (m *member) check() error {
	_, err := kubernetes.NewForConfig(m.config)
	return err
}

// With what the user has sent.
type proxy struct{ config *rest.Config }

func (p *proxy) Handle(ctx context.Context, req admission.Request) admission.Response {
	config := rest.AnonymousClientConfig(p.config)
	config.BearerToken = req.UserInfo.Username
	if _, err := kubernetes.NewForConfig(config); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

// Transports.
type caller struct {
	tls  *tls.Config
	http *http.Client
}

func (c *caller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c.short(req)
	c.closed(req)
	c.handedOn(req)
	c.plain(req)
	if c.http == nil {
		c.http = &http.Client{Transport: &http.Transport{TLSClientConfig: c.tls}}
	}
	return ctrl.Result{}, nil
}

// Its connections end by themselves.
func (c *caller) short(ctrl.Request) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: c.tls, IdleConnTimeout: time.Minute}}
}

// They are closed.
func (c *caller) closed(ctrl.Request) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: c.tls}}
	defer client.CloseIdleConnections()
	_, _ = client.Get("https://store.example.com")
}

// api has a client of its own for as long as it is used.
type api struct {
	client *http.Client
	host   string
}

func (c *caller) newAPI(host string) api {
	return api{client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: c.tls}}, host: host}
}

// handedOn gives an api to what closes it.
func (c *caller) handedOn(req ctrl.Request) { enroll(c.newAPI(req.Name)) }

func enroll(a api) {
	defer a.client.CloseIdleConnections()
	_, _ = a.client.Get(a.host)
}

// All clients without a transport share one.
func (c *caller) plain(ctrl.Request) *http.Client { return &http.Client{Timeout: time.Second} }

// A literal makes the client of the user who asks.
func (r *Reconciler) impersonatedInLiteral(_ context.Context, req ctrl.Request) error {
	config := rest.CopyConfig(r.config)
	config.Impersonate.UserName = req.Name
	dial := func() error {
		_, err := kubernetes.NewForConfig(config)
		return err
	}
	return dial()
}

// A literal makes one if there is none yet.
func (r *Reconciler) unknownInLiteral(context.Context, ctrl.Request) error {
	if r.kube == nil {
		dial := func() (kubernetes.Interface, error) { return kubernetes.NewForConfig(r.config) }
		kube, err := dial()
		if err != nil {
			return err
		}
		r.kube = kube
	}
	return nil
}
