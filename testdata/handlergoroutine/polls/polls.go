// Package polls has goroutines that read an object until it is as they want it.
package polls

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opvet/opvet/testdata/handlergoroutine/polls/lib"
)

type reconciler struct {
	client.Client
	kube  kubernetes.Interface
	jobs  batchlisters.JobLister
	queue workqueue.TypedRateLimitingInterface[string]
	spawn func(func())
	stop  chan struct{}
}

func newReconciler() *reconciler {
	r := new(reconciler)
	r.spawn = func(f func()) { go f() } // want `^leak: spawn \(from AddFunc\) starts a goroutine that polls until the Get on line \d+ succeeds: forever, once the object is deleted; end it on NotFound.*endless`
	return r
}

func (r *reconciler) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: r.added})
}

// added waits for the owner, which may be gone for good.
func (r *reconciler) added(obj any) {
	pod := obj.(*corev1.Pod)
	r.spawn(func() {
		for {
			time.Sleep(5 * time.Second)
			if job, err := r.jobs.Jobs(pod.Namespace).Get(pod.Labels["job"]); err == nil {
				r.queue.Add(job.Name)
				return
			}
		}
	})
}

// Reconcile watches the job.
func (r *reconciler) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	defer func() {
		go r.observe(req.Namespace, req.Name) // want `^leak: func literal .*polls until the Get on line \d+ succeeds`
	}()
	return ctrl.Result{}, nil
}

func (r *reconciler) observe(namespace, name string) {
	err := wait.PollUntilContextCancel(context.Background(), time.Second, false, func(context.Context) (bool, error) {
		job, err := r.jobs.Jobs(namespace).Get(name)
		if err != nil {
			klog.V(4).Info(err)
			return false, nil
		}
		return isDone(job), nil
	})
	klog.Info(err)
}

func isDone(job *batchv1.Job) bool { return job.Status.Succeeded > 0 }

// funcs makes reconcilers of the cases below.
func (r *reconciler) funcs() []reconcile.Func {
	return []reconcile.Func{
		r.infinite, r.untilThere, r.elsewhere,
		r.endsWhenGone, r.endsByError, r.deadline, r.ownDeadline, r.someTries, r.stopped, r.askedForGone, r.countsDown,
	}
}

func (r *reconciler) infinite(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^leak: Reconcile starts a goroutine that polls until the Get on line \d+ succeeds`
		_ = wait.PollInfinite(time.Second, func() (bool, error) {
			pod := new(corev1.Pod)
			if err := r.Get(context.Background(), req.NamespacedName, pod); err != nil {
				return false, nil
			}
			return pod.Status.Phase == corev1.PodRunning, nil
		})
	}()
	return ctrl.Result{}, nil
}

func (r *reconciler) untilThere(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go wait.PollUntilContextCancel(context.TODO(), time.Second, true, func(ctx context.Context) (bool, error) { // want `^leak: Reconcile starts a goroutine that polls until the Get on line \d+ succeeds`
		_, err := r.kube.CoreV1().Pods(req.Namespace).Get(ctx, req.Name, metav1.GetOptions{})
		return err == nil, nil
	})
	return ctrl.Result{}, nil
}

func (r *reconciler) elsewhere(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	lib.Follow(r.kube, req.Namespace, req.Name, func() { klog.Info("done") }) // want `^leak: Follow.* polls until the Get on lib/lib.go:\d+ succeeds`
	return ctrl.Result{}, nil
}

func (r *reconciler) endsWhenGone(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		_ = wait.PollUntilContextCancel(context.Background(), time.Second, false, func(context.Context) (bool, error) {
			job, err := r.jobs.Jobs(req.Namespace).Get(req.Name)
			if apierrors.IsNotFound(err) {
				return true, nil
			}
			if err != nil {
				return false, nil
			}
			return isDone(job), nil
		})
	}()
	return ctrl.Result{}, nil
}

func (r *reconciler) endsByError(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		_ = wait.PollUntilContextCancel(context.Background(), time.Second, false, func(context.Context) (bool, error) {
			job, err := r.jobs.Jobs(req.Namespace).Get(req.Name)
			if err != nil {
				return false, err
			}
			return isDone(job), nil
		})
	}()
	return ctrl.Result{}, nil
}

func (r *reconciler) deadline(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		_ = wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, false, func(context.Context) (bool, error) {
			_, err := r.jobs.Jobs(req.Namespace).Get(req.Name)
			return err == nil, nil
		})
	}()
	return ctrl.Result{}, nil
}

func (r *reconciler) ownDeadline(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		_ = wait.PollUntilContextCancel(ctx, time.Second, false, func(context.Context) (bool, error) {
			_, err := r.jobs.Jobs(req.Namespace).Get(req.Name)
			return err == nil, nil
		})
	}()
	return ctrl.Result{}, nil
}

func (r *reconciler) someTries(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		for range 10 {
			if _, err := r.jobs.Jobs(req.Namespace).Get(req.Name); err == nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	return ctrl.Result{}, nil
}

// stopped is ended by somebody else, or finds what it looks for.
func (r *reconciler) stopped(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		for {
			select {
			case <-r.stop:
				return
			case <-time.After(time.Second):
			}
			if _, err := r.jobs.Jobs(req.Namespace).Get(req.Name); err == nil {
				return
			}
		}
	}()
	return ctrl.Result{}, nil
}

// askedForGone waits until the job is deleted.
func (r *reconciler) askedForGone(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		for {
			if _, err := r.jobs.Jobs(req.Namespace).Get(req.Name); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	return ctrl.Result{}, nil
}

// countsDown gives up after a while.
func (r *reconciler) countsDown(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	begun := time.Now()
	go func() { // want `^hygiene: `
		for {
			if _, err := r.jobs.Jobs(req.Namespace).Get(req.Name); err == nil {
				return
			}
			if time.Since(begun) > time.Hour {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	return ctrl.Result{}, nil
}
