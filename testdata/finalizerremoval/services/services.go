// Package services overwrites Services that no load balancer serves.
package services

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct{ client.Client }

// The Service of the metrics has a cluster IP alone, on which nobody puts finalizers.
func (r *reconciler) metrics(ctx context.Context, stored *corev1.Service) error {
	built := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, Ports: []corev1.ServicePort{{Port: 8383}}}}
	built.Name, built.Namespace = stored.Name, stored.Namespace
	built.Spec.ClusterIP = stored.Spec.ClusterIP
	built.ResourceVersion = stored.ResourceVersion
	return r.Update(ctx, built) // want `^hygiene: other controllers lose their finalizers on the Service.*\(finalizerremoval/strips-foreign\)`
}

// parse and isExternal know load balancers; no Service here is one.
func parse(text string) corev1.ServiceType {
	if text == "external" {
		return corev1.ServiceTypeLoadBalancer
	}
	return corev1.ServiceTypeNodePort
}

func isExternal(s *corev1.Service) bool { return s.Spec.Type == corev1.ServiceTypeLoadBalancer }

// A claim has the finalizer that protects it while a pod uses it; it is put on again.
func (r *reconciler) claim(ctx context.Context, stored, built *corev1.PersistentVolumeClaim) error {
	built.ResourceVersion = stored.ResourceVersion
	return r.Update(ctx, built) // want `^hygiene: other controllers lose their finalizers on the PersistentVolumeClaim.*\(finalizerremoval/strips-foreign\)`
}
