// Package kinds hands objects of known types to helpers that go by the type.
package kinds

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opvet/opvet/testdata/reconcileclient/kinds/refs"
)

var _ = handler.EnqueueRequestsFromMapFunc(configMaps)
var _ = handler.EnqueueRequestsFromMapFunc(secrets)
var _ = handler.EnqueueRequestsFromMapFunc(unknown)
var _ = handler.EnqueueRequestsFromMapFunc(anyOf)
var _ = handler.EnqueueRequestsFromMapFunc(severalOf)
var _ = handler.EnqueueRequestsFromMapFunc(here)
var _ = handler.EnqueueRequestsFromMapFunc(there)

// The request is made for Secrets.
func configMaps(_ context.Context, o client.Object) []reconcile.Request {
	config := o.(*corev1.ConfigMap)
	_, _ = refs.Of(config)
	return nil
}

func secrets(_ context.Context, o client.Object) []reconcile.Request {
	secret := o.(*corev1.Secret)
	_, _ = refs.Of(secret) // want `all later events wait forever.*no-timeout`
	return nil
}

// It may be a Secret.
func unknown(_ context.Context, o client.Object) []reconcile.Request {
	refs.Maybe(o) // want `all later events wait forever.*no-timeout`
	return nil
}

func anyOf(_ context.Context, o client.Object) []reconcile.Request {
	refs.Any(o.(*corev1.ConfigMap)) // want `all later events wait forever.*no-timeout`
	return nil
}

func severalOf(_ context.Context, o client.Object) []reconcile.Request {
	refs.Several(o.(*corev1.ConfigMap)) // want `all later events wait forever.*no-timeout`
	return nil
}

// The helper is in this package.
func here(_ context.Context, o client.Object) []reconcile.Request {
	ofPod(o.(*corev1.ConfigMap))
	return nil
}

func ofPod(o client.Object) {
	if pod, ok := o.(*corev1.Pod); ok {
		ask(pod.Status.PodIP)
	}
}

func ask(ip string) { _, _ = http.Get("http://" + ip) }

func there(_ context.Context, o client.Object) []reconcile.Request {
	ofNode(o.(*corev1.Node))
	return nil
}

func ofNode(o client.Object) {
	if node, ok := o.(*corev1.Node); ok {
		_, _ = http.Get("http://" + node.Name) // want `all later events wait forever.*no-timeout`
	}
}
