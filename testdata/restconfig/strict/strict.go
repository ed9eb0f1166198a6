// Package strict changes rates and names of configurations that others have.
package strict

import (
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
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
