// Package strict changes rates and names of configurations that others have, and
// what the constructors of clients set themselves.
package strict

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

type Options struct{ Config *rest.Config }

func (o *Options) Tune(qps float32) (dynamic.Interface, error) {
	o.Config.QPS = qps // want `QPS of the configuration in o.Config is changed`
	return dynamic.NewForConfig(o.Config)
}

func (o *Options) Get() *rest.Config { return o.Config }

func run() error {
	config := ctrl.GetConfigOrDie()
	if _, err := ctrl.NewManager(config, ctrl.Options{}); err != nil {
		return err
	}
	config.UserAgent = "late" // want `UserAgent is changed after the manager or cluster has got the configuration`
	_, err := kubernetes.NewForConfig(config)
	return err
}

// For a client of one API group, while others use it as it was.
type factory struct{ config *rest.Config }

func (f *factory) restClient() (rest.Interface, error) {
	f.config.GroupVersion = &corev1.SchemeGroupVersion // want `GroupVersion of the configuration in f.config is changed: clients that are built of it afterwards speak for another API group`
	f.config.APIPath = "/api"
	f.config.NegotiatedSerializer = scheme.Codecs
	return rest.RESTClientFor(f.config)
}

func (f *factory) dynamicClient() (dynamic.Interface, error) { return dynamic.NewForConfig(f.config) }
