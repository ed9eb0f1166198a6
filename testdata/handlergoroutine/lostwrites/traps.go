package lostwrites

import (
	"context"
	"errors"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/handlergoroutine/lostwrites/background"
)

// provider is no client of the API server.
type provider interface {
	Delete(ctx context.Context, backup *v1.Backup) error
}

func (c *controller) added(obj any) {
	pod := obj.(*corev1.Pod)
	go func() { // want `^hygiene: `
		if err := c.remove(pod.Namespace, pod.Name); err != nil {
			if key, err := cache.MetaNamespaceKeyFunc(pod); err == nil {
				c.queue.AddRateLimited(key) // tried again by the worker
			}
		}
	}()
}

// hygienic makes reconcilers of the cases below.
func (c *controller) hygienic() []reconcile.Func {
	return []reconcile.Func{
		c.untilItWorks, c.severalTries, c.polled, c.backedOff, c.told, c.asked, c.heartbeat, c.waitsFirst, c.meansNothing, c.startedAfterFailure,
		c.comesBackAnyway, c.remembered, c.ofAnotherSystem, c.stubborn, c.orElse, c.joined, c.reads, c.ownVerdict, c.failsAnyway, c.timer, c.readsElsewhere, c.lastSeen, c.stamped,
	}
}

func (c *controller) untilItWorks(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		for c.remove(req.Namespace, req.Name) != nil {
			klog.Info("once more")
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) severalTries(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		for range 3 {
			err := c.remove(req.Namespace, req.Name)
			if err == nil {
				return
			}
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) polled(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		err := wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, func(context.Context) (bool, error) {
			return c.remove(req.Namespace, req.Name) == nil, nil
		})
		if err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) backedOff(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		_ = wait.ExponentialBackoff(wait.Backoff{Steps: 5}, func() (bool, error) {
			err := c.remove(req.Namespace, req.Name)
			return err == nil, nil
		})
	}()
	return ctrl.Result{}, nil
}

// told: somebody reads the errors.
func (c *controller) told(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		c.failures <- c.remove(req.Namespace, req.Name)
	}()
	return ctrl.Result{}, nil
}

// asked: a review is not stored.
func (c *controller) asked(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		review := &authorizationv1.SubjectAccessReview{}
		if err := c.Create(context.Background(), review); err != nil {
			klog.Error(err)
		}
		event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
		if _, err := c.kube.CoreV1().Events(req.Namespace).Create(context.Background(), event, metav1.CreateOptions{}); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) heartbeat(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	lease := new(coordinationv1.Lease)
	go func() { // want `^hygiene: `
		if err := c.Update(context.Background(), lease); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) waitsFirst(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		time.Sleep(time.Minute) // the last scrape
		if err := c.remove(req.Namespace, req.Name); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

// meansNothing says that it does not matter.
func (c *controller) meansNothing(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	go func() { // want `^hygiene: `
		_ = client.IgnoreNotFound(c.Delete(context.Background(), pod))
	}()
	return ctrl.Result{}, nil
}

func (c *controller) startedAfterFailure(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := c.Get(ctx, req.NamespacedName, new(v1.Backup)); err != nil {
		go c.remove(req.Namespace, req.Name) // want `^hygiene: `
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (c *controller) comesBackAnyway(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go c.remove(req.Namespace, req.Name) // want `^hygiene: `
	return ctrl.Result{RequeueAfter: time.Minute}, nil
}

// remembered: the next reconcile sees to it.
func (c *controller) remembered(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		if err := c.remove(req.Namespace, req.Name); err != nil {
			klog.Error(err)
			c.failed[req.Name] = true
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) ofAnotherSystem(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	go func() { // want `^hygiene: `
		if err := c.provider.Delete(context.Background(), backup); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) stubborn(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	background.Stubborn(func() error { return c.remove(req.Namespace, req.Name) }) // want `^hygiene: `
	return ctrl.Result{}, nil
}

func (c *controller) orElse(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	background.OrElse(func() error { return c.remove(req.Namespace, req.Name) }, func(error) { // want `^hygiene: `
		c.queue.AddRateLimited(req.String())
	})
	return ctrl.Result{}, nil
}

// joined waits, and returns the error.
func (c *controller) joined(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := make(chan error, 1)
	go func() { result <- c.remove(req.Namespace, req.Name) }()
	return ctrl.Result{}, <-result
}

// reads loses nothing.
func (c *controller) reads(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		if err := c.Get(context.Background(), req.NamespacedName, new(v1.Backup)); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

// ownVerdict does something about conflicts, and adds the key again.
func (c *controller) ownVerdict(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		err := c.remove(req.Namespace, req.Name)
		if apierrors.IsConflict(err) {
			c.queue.Add(req.String())
			return
		}
		klog.Error(err)
	}()
	return ctrl.Result{}, nil
}

func (c *controller) failsAnyway(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go c.remove(req.Namespace, req.Name) // want `^hygiene: `
	return ctrl.Result{}, errors.New("waiting for it to be gone")
}

func (c *controller) timer(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	time.AfterFunc(time.Hour, func() { // want `^hygiene: `
		if err := c.remove(req.Namespace, req.Name); err != nil {
			klog.Error(err)
		}
	})
	return ctrl.Result{}, nil
}

// readsElsewhere loses nothing either.
func (c *controller) readsElsewhere(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		if err := c.store.Load(context.WithoutCancel(ctx), new(v1.Backup)); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

// lastSeen is written again before long.
func (c *controller) lastSeen(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := c.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go func() { // want `^hygiene: `
		backup.SetAnnotations(map[string]string{"last-seen": time.Now().String()})
		if err := c.Update(context.Background(), backup); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) stamped(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := c.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go func() { // want `^hygiene: `
		now := metav1.Now()
		backup.Status.StartTime = &now
		if err := c.Status().Update(context.Background(), backup); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}
