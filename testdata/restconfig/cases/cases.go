// Package cases changes configurations that others have.
package cases

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// The manager's, while the operator is set up.
func addClients(mgr manager.Manager) (kubernetes.Interface, error) {
	config := mgr.GetConfig()
	config.ContentType = runtime.ContentTypeProtobuf // want `later clients of mgr\.GetConfig\(\) use another encoding: this sets its ContentType for all; change a rest\.CopyConfig \(restconfig/shared\)`
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return kubernetes.NewForConfig(config)
}

// Without a variable.
func tune(mgr manager.Manager) { mgr.GetConfig().QPS = 100 } // want `later clients of mgr\.GetConfig\(\) have another rate limit: this sets its QPS for all.*restconfig/shared`

// A cluster's, by a function of client-go.
func rename(member cluster.Cluster) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(rest.AddUserAgent(member.GetConfig(), "backup")) // want `later clients of member\.GetConfig\(\) go by another name: this sets its UserAgent for all.*restconfig/shared`
}

// Its transport.
func trace(mgr manager.Manager, wrap func(http.RoundTripper) http.RoundTripper) {
	config := mgr.GetConfig()
	config.Wrap(wrap) // want `later clients of mgr\.GetConfig\(\) go another way: this sets its WrapTransport for all.*restconfig/shared`
}

type Reconciler struct {
	client.Client
	config *rest.Config
	mgr    manager.Manager
}

// The reconciler's, for whom the request names.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.config.Impersonate.UserName = req.Name // want `later clients of r\.config act as somebody else: each Reconcile sets its Impersonate for all.*restconfig/shared`
	if _, err := kubernetes.NewForConfig(r.config); err != nil {
		return ctrl.Result{}, err
	}
	as(r.config, req.Namespace)
	return ctrl.Result{}, r.patiently()
}

// By way of a helper in this package.
func as(config *rest.Config, token string) {
	config.BearerToken = token // want `later clients of r\.config act as somebody else: each Reconcile sets its BearerToken for all.*restconfig/shared`
}

// A name for it changes nothing.
func (r *Reconciler) patiently() error {
	config := r.config
	config.Timeout = 0 // want `later clients of r\.config give up earlier or later: each Reconcile sets its Timeout for all.*restconfig/shared`
	_, err := kubernetes.NewForConfig(config)
	return err
}

var shared *rest.Config

// A variable, in a handler of events.
func handlers() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			shared.TLSClientConfig.Insecure = true // want `later clients of shared trust or show other certificates: each AddFunc sets its Insecure for all.*restconfig/shared`
		},
	}
}

// In a webhook, the whole of it.
type validator struct{ config *rest.Config }

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	*v.config = rest.Config{Host: req.Name} // want `later clients of v\.config are not what was meant: each Handle changes it for all.*restconfig/shared`
	return admission.Allowed("")
}

// Put into a field first, and used.
type Options struct {
	Config  *rest.Config
	Dynamic dynamic.Interface
	Kube    kubernetes.Interface
}

func (o *Options) init() error {
	config, err := rest.InClusterConfig()
	if err != nil {
		return err
	}
	config.QPS = 1000
	o.Config = config
	if o.Dynamic, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	config.ContentType = runtime.ContentTypeProtobuf // want `later clients use another encoding: this sets its ContentType after the field Config got it \(line \d+\); change a rest\.CopyConfig \(restconfig/handed-over\)`
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	o.Kube, err = kubernetes.NewForConfig(config)
	return err
}

// One of two.
func (o *Options) load(inCluster bool) (err error) {
	var config *rest.Config
	if inCluster {
		config, err = rest.InClusterConfig()
	} else {
		config, err = ctrl.GetConfig()
	}
	if err != nil {
		return err
	}
	o.Config = config
	if o.Dynamic, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	config.ContentType = runtime.ContentTypeProtobuf // want `later clients use another encoding: this sets its ContentType after the field Config got it \(line \d+\).*restconfig/handed-over`
	o.Kube, err = kubernetes.NewForConfig(config)
	return err
}

// Given to a manager.
func run() error {
	config := ctrl.GetConfigOrDie()
	mgr, err := ctrl.NewManager(config, ctrl.Options{})
	if err != nil {
		return err
	}
	config.BearerToken = "other" // want `later clients act as somebody else: this sets its BearerToken after the manager or cluster got it \(line \d+\).*restconfig/handed-over`
	if _, err := kubernetes.NewForConfig(config); err != nil {
		return err
	}
	return mgr.Start(context.Background())
}

func newValidator(config *rest.Config) *validator { return &validator{config: config} }
