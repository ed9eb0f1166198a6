// Package resources puts objects together.
package resources

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
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

// Create tries again.
func Create(ctx context.Context, c client.Client, obj client.Object) error {
	err := c.Create(ctx, obj)
	if apierrors.IsTooManyRequests(err) {
		err = c.Create(ctx, obj)
	}
	return err
}

// Upsert creates an object or updates the one that is there.
func Upsert(ctx context.Context, c client.Client, obj client.Object) error {
	err := c.Create(ctx, obj)
	if apierrors.IsAlreadyExists(err) {
		return c.Update(ctx, obj)
	}
	return err
}

// Store reads from the cache of a manager.
type Store struct{ Client client.Client }

// Jobs are those of an owner, by their names.
func (s *Store) Jobs(ctx context.Context, owner string) (map[string]*batchv1.Job, error) {
	var jobs batchv1.JobList
	if err := s.Client.List(ctx, &jobs, client.MatchingLabels{"owner": owner}); err != nil {
		return nil, err
	}
	found := make(map[string]*batchv1.Job)
	for i := range jobs.Items {
		found[jobs.Items[i].Name] = &jobs.Items[i]
	}
	return found, nil
}

// Pods are those of an owner.
func (s *Store) Pods(ctx context.Context, owner string) ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := s.Client.List(ctx, &pods, client.MatchingLabels{"owner": owner})
	return pods.Items, err
}

// Live asks the API server.
type Live struct{ Reader client.Reader }

// Jobs are those of an owner.
func (l *Live) Jobs(ctx context.Context, owner string) ([]batchv1.Job, error) {
	var jobs batchv1.JobList
	err := l.Reader.List(ctx, &jobs, client.MatchingLabels{"owner": owner})
	return jobs.Items, err
}
