// Package resources puts objects together.
package resources

import (
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
)

// MakeJob leaves the name to the API server.
func MakeJob(owner string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: owner + "-"}}
}

// MakeSecret has a name of the module's own making.
func MakeSecret(owner string) corev1.Secret {
	return corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: UniqueName(owner)}}
}

// UniqueName has random letters.
func UniqueName(prefix string) string { return fmt.Sprintf("%s-%s", prefix, rand.String(5)) }

// MakeNamedJob has the owner's name.
func MakeNamedJob(owner string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: ChildName(owner)}}
}

// ChildName is the same each time.
func ChildName(owner string) string { return fmt.Sprintf("%s-job", owner) }

// Until asks again and again, as wait.PollUntilContextTimeout does.
func Until(interval, timeout time.Duration, condition func() (bool, error)) error {
	for range int(timeout / interval) {
		if done, err := condition(); done || err != nil {
			return err
		}
		time.Sleep(interval)
	}
	return errors.New("timed out")
}

// Rename gives the owner's name.
func Rename(job *batchv1.Job, owner string) { job.Name = ChildName(owner) }

// Generate leaves the name to the API server.
func Generate(pod *corev1.Pod, owner string) { pod.GenerateName = owner + "-" }

// JobOf is the Job that is known to run for an owner.
func JobOf(owner string) *batchv1.Job { return running[owner] }

var running = make(map[string]*batchv1.Job)
