package handlers

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Each member has a client and informers of its own, made for it on the way.

type member struct {
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
}

type Members struct {
	handler cache.ResourceEventHandler
	own     *member
	connect func(name string) (*member, error)
}

func (m *Members) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	joined, err := m.join(req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	m.admit(joined)
	m.again()
	return ctrl.Result{}, m.byValue(req.Name)
}

func (m *Members) join(name string) (*member, error) {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: name})
	if err != nil {
		return nil, err
	}
	return &member{client: client, factory: informers.NewSharedInformerFactory(client, 0)}, nil
}

func (m *Members) admit(joined *member) {
	go func() { joined.run(m.handler) }()
}

func (j *member) run(handler cache.ResourceEventHandler) {
	listen(j, handler)
}

func listen(j *member, handler cache.ResourceEventHandler) {
	j.factory.Core().V1().Pods().Informer().AddEventHandler(handler)
}

func (m *Members) byValue(name string) error {
	joined, err := m.connect(name)
	if err != nil {
		return err
	}
	joined.nodes(m.handler)
	return nil
}

func (j *member) nodes(handler cache.ResourceEventHandler) {
	j.factory.Core().V1().Nodes().Informer().AddEventHandler(handler)
}

// The reconciler's own member is always the same.
func (m *Members) again() {
	m.own.services(m.handler)
	wrapped := &member{factory: m.own.factory}
	wrapped.secrets(m.handler)
}

func (j *member) services(handler cache.ResourceEventHandler) {
	j.factory.Core().V1().Services().Informer().AddEventHandler(handler) // want `adds another handler to the informer of Services`
}

func (j *member) secrets(handler cache.ResourceEventHandler) {
	j.factory.Core().V1().Secrets().Informer().AddEventHandler(handler) // want `adds another handler to the informer of Secrets`
}
