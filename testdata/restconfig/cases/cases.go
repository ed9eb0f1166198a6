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
	config.ContentType = runtime.ContentTypeProtobuf // want `ContentType of the configuration that mgr.GetConfig\(\) gives to everybody is changed: clients that are built of it afterwards speak another encoding, .*; change a copy: rest.CopyConfig\(mgr.GetConfig\(\)\) \(restconfig/shared\)`
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return kubernetes.NewForConfig(config)
}

// Without a variable.
func tune(mgr manager.Manager) { mgr.GetConfig().QPS = 100 } // want `QPS of the configuration that mgr.GetConfig\(\) gives to everybody is changed: .* have another rate limit`

// A cluster's, by a function of client-go.
func rename(member cluster.Cluster) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(rest.AddUserAgent(member.GetConfig(), "backup")) // want `UserAgent of the configuration that member.GetConfig\(\) gives to everybody is changed`
}

// Its transport.
func trace(mgr manager.Manager, wrap func(http.RoundTripper) http.RoundTripper) {
	config := mgr.GetConfig()
	config.Wrap(wrap) // want `WrapTransport of the configuration that mgr.GetConfig\(\) gives to everybody is changed`
}

type Reconciler struct {
	client.Client
	config *rest.Config
	mgr    manager.Manager
}

// The reconciler's, for whom the request names.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.config.Impersonate.UserName = req.Name // want `Impersonate of the configuration in r.config is changed each time that Reconcile runs \(it stands in Reconcile \(cases.go:\d+\)\): whoever reads it at the same time finds it half changed, and clients that are built of it afterwards act as somebody else`
	if _, err := kubernetes.NewForConfig(r.config); err != nil {
		return ctrl.Result{}, err
	}
	as(r.config, req.Namespace)
	return ctrl.Result{}, r.patiently()
}

// By way of a helper in this package.
func as(config *rest.Config, token string) {
	config.BearerToken = token // want `BearerToken of the configuration in r.config is changed each time that Reconcile runs \(reached by Reconcile \(cases.go:\d+\) → as\)`
}

// A name for it changes nothing.
func (r *Reconciler) patiently() error {
	config := r.config
	config.Timeout = 0 // want `Timeout of the configuration in r.config is changed each time that Reconcile runs`
	_, err := kubernetes.NewForConfig(config)
	return err
}

var shared *rest.Config

// A variable, in a handler of events.
func handlers() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			shared.TLSClientConfig.Insecure = true // want `Insecure of the configuration in shared is changed each time that AddFunc runs .* trust another server`
		},
	}
}

// In a webhook, the whole of it.
type validator struct{ config *rest.Config }

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	*v.config = rest.Config{Host: req.Name} // want `the configuration in v.config is changed each time that Handle runs`
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
	config.ContentType = runtime.ContentTypeProtobuf // want `ContentType is changed after the field Config has got the configuration \(cases.go:\d+\) and a client was built of it: .*; change a copy \(rest.CopyConfig\) \(restconfig/handed-over\)`
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
	config.ContentType = runtime.ContentTypeProtobuf // want `ContentType is changed after the field Config has got the configuration`
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
	config.BearerToken = "other" // want `BearerToken is changed after the manager or cluster has got the configuration`
	if _, err := kubernetes.NewForConfig(config); err != nil {
		return err
	}
	return mgr.Start(context.Background())
}

// What a copy has in common with its original.
func (r *Reconciler) explained(reason string) (kubernetes.Interface, error) {
	config := rest.CopyConfig(r.config)
	config.Impersonate.Extra["reason"] = []string{reason} // want `this changes what Impersonate of the copy has in common with that of r.config: the copy is not a deep one, so that all clients of the other act as somebody else; give the copy a new one first \(restconfig/shallow-copy\)`
	return kubernetes.NewForConfig(config)
}

func grouped(config *rest.Config) (kubernetes.Interface, error) {
	own := *config
	own.Impersonate.Groups[0] = "system:masters" // want `this changes what Impersonate of the copy has in common with that of config`
	return kubernetes.NewForConfig(&own)
}

func execAs(mgr manager.Manager, user string) *rest.Config {
	config := rest.CopyConfig(mgr.GetConfig())
	config.ExecProvider.Command = user // want `this changes what ExecProvider of the copy has in common with that of mgr.GetConfig\(\)`
	return config
}
