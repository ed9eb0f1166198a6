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
	o.Config.QPS = qps // want `later clients of o\.Config have another rate limit: this sets its QPS for all; change a rest\.CopyConfig \(restconfig/shared\)`
	return dynamic.NewForConfig(o.Config)
}

func (o *Options) Get() *rest.Config { return o.Config }

func run() error {
	config := ctrl.GetConfigOrDie()
	if _, err := ctrl.NewManager(config, ctrl.Options{}); err != nil {
		return err
	}
	config.UserAgent = "late" // want `later clients go by another name: this sets its UserAgent after the manager or cluster got it \(line \d+\); change a rest\.CopyConfig \(restconfig/handed-over\)`
	_, err := kubernetes.NewForConfig(config)
	return err
}

// For a client of one API group, while others use it as it was.
type factory struct{ config *rest.Config }

func (f *factory) restClient() (rest.Interface, error) {
	f.config.GroupVersion = &corev1.SchemeGroupVersion // want `later clients of f\.config use another API group or encoding: this sets its GroupVersion for all.*restconfig/shared`
	f.config.APIPath = "/api"
	f.config.NegotiatedSerializer = scheme.Codecs
	return rest.RESTClientFor(f.config)
}

func (f *factory) dynamicClient() (dynamic.Interface, error) { return dynamic.NewForConfig(f.config) }
