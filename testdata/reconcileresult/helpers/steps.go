package helpers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/reconcileresult/helpers/lib"
)

// syncer has a queue of its own; its sync function's error decides about a retry.
type syncer struct {
	client client.Client
	kube   kubernetes.Interface
	pods   listers.PodLister
	queue  workqueue.TypedRateLimitingInterface[string]
}

func (s *syncer) run() {
	for s.next() {
	}
}

func (s *syncer) next() bool {
	key, quit := s.queue.Get()
	if quit {
		return false
	}
	defer s.queue.Done(key)
	if err := s.sync(key); err != nil {
		s.queue.AddRateLimited(key)
		return true
	}
	s.queue.Forget(key)
	return true
}

func (s *syncer) sync(key string) error {
	ctx := context.Background()
	pod, err := s.kube.CoreV1().Pods("").Get(ctx, key, metav1.GetOptions{}) // want `loss: a failed Get is not retried: sync returns success on line \d+`
	if err != nil {
		// It may be gone, which is right.
		if apierrors.IsNotFound(err) {
			return nil
		}
		return nil
	}
	if err := s.label(ctx, pod); err != nil {
		return err
	}
	if err := s.note(pod); err != nil { // want `loss: a failed note is not retried: sync returns success on line \d+`
		return nil
	}
	if err := s.label(ctx, pod); err != nil { // want `loss: a failed label is not retried: sync returns success on line \d+`
		return nil
	}
	if err := lib.Release(ctx, s.client, &v1.Backup{}); err != nil {
		return err
	}
	if err := s.right(ctx, key, pod); err != nil {
		return err
	}
	return nil
}

// label hands on what the write fails with.
func (s *syncer) label(ctx context.Context, pod *corev1.Pod) error { return s.client.Update(ctx, pod) }

// note asks for one kind of error of a lister and hands on the others.
func (s *syncer) note(pod *corev1.Pod) error {
	other, err := s.pods.Pods(pod.Namespace).Get("other")
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("get the other: %w", err)
	}
	if other != nil {
		pod.Status.Reason = other.Name
	}
	return nil
}

// Traps: somebody hears of it, it was thought of, or no request has failed.
func (s *syncer) right(ctx context.Context, key string, pod *corev1.Pod) error {
	if _, err := s.pods.Pods("").Get(key); err != nil {
		return nil
	}
	if _, err := s.kube.CoreV1().Pods("").Get(ctx, key, metav1.GetOptions{}); err != nil {
		log.FromContext(ctx).Error(err, "get")
		return nil
	}
	if err := s.label(ctx, pod); err != nil {
		// The next event labels it.
		return nil
	}
	if err := s.says(ctx, pod); err != nil { // want `hygiene: a failed says is not retried`
		return nil
	}
	if err := s.valid(pod); err != nil {
		return nil
	}
	if err := s.label(ctx, pod); apierrors.IsConflict(err) {
		return nil
	} else if err != nil {
		return err
	}
	if err := s.note(pod); err != nil {
		pod.Status.Message = err.Error()
		return nil
	}
	return s.note(pod)
}

// says prints what has failed itself.
func (s *syncer) says(ctx context.Context, pod *corev1.Pod) error {
	if err := s.client.Update(ctx, pod); err != nil {
		log.FromContext(ctx).Error(err, "update")
		return err
	}
	return nil
}

// valid fails for what no retry mends.
func (s *syncer) valid(pod *corev1.Pod) error {
	if pod.Name == "" {
		return fmt.Errorf("no name")
	}
	return nil
}

type stepped struct{ *syncer }

func (r *stepped) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := &corev1.Pod{}
	if err := r.client.Get(ctx, req.NamespacedName, pod); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.label(ctx, pod); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.note(pod); err != nil { // want `loss: a failed note is not retried: Reconcile returns success on line \d+`
		return ctrl.Result{}, nil
	}
	if err := r.onlyOne(pod); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

// onlyOne hands on nothing at all, and so may be meant to.
func (s *syncer) onlyOne(pod *corev1.Pod) error {
	if err := s.note(pod); err != nil {
		return nil
	}
	return nil
}
