// Package semanticequal compares with the libraries of before generics.
package semanticequal

import (
	"context"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func sync(ctx context.Context, c kubernetes.Interface, ns, name string, limits corev1.ResourceRequirements) error {
	found, err := c.AppsV1().StatefulSets(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	want := statefulSet(name, limits)
	if !reflect.DeepEqual(found.Spec, want.Spec) { // want `equal quantities are written again each round.*\(semanticequal/quantity\)`
		_, err = c.AppsV1().StatefulSets(ns).Update(ctx, want, metav1.UpdateOptions{})
	}
	return err
}

func statefulSet(name string, limits corev1.ResourceRequirements) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.StatefulSetSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Resources: limits}},
		}}},
	}
}

func semantic(ctx context.Context, c kubernetes.Interface, ns, name string, limits corev1.ResourceRequirements) error {
	found, err := c.AppsV1().StatefulSets(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	want := statefulSet(name, limits)
	if !equality.Semantic.DeepEqual(found.Spec, want.Spec) {
		_, err = c.AppsV1().StatefulSets(ns).Update(ctx, want, metav1.UpdateOptions{})
	}
	return err
}
