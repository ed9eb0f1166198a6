// Package builders puts objects together that other packages write.
package builders

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deployment of a backend.
func Deployment(name string, settings map[string]string) (*appsv1.Deployment, error) {
	var mounts []corev1.VolumeMount
	for from, to := range settings {
		mounts = append(mounts, corev1.VolumeMount{Name: from, MountPath: to}) // want `^hygiene: Container\.VolumeMounts changes each time`
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: name, VolumeMounts: mounts}},
		}}},
	}, nil
}

// Container of a Job.
func Container(settings map[string]string) corev1.Container {
	container := corev1.Container{Name: "settings"}
	for name, value := range settings {
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: value}) // want `^hygiene: Container\.Env changes each time`
	}
	return container
}

// Once is a Job that is made once.
func Once(settings map[string]string) *batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: "once-"}}
	for name := range settings {
		job.Spec.Template.Spec.Volumes = append(job.Spec.Template.Spec.Volumes, corev1.Volume{Name: name}) // want `^hygiene: `
	}
	return job
}
