package held

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// driver is asked over the network.
type driver interface {
	IsUploaded(ctx context.Context, id string) (bool, int64, error)
	Upload(id string) (more bool, err error)
}

// poller waits in place.
type poller struct {
	client.Client
	driver driver
}

func (p *poller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var set appsv1.StatefulSet
	if err := p.Get(ctx, req.NamespacedName, &set); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	for set.Status.ReadyReplicas < set.Status.Replicas { // want `stuck: Reconcile holds its worker as long as this loop waits for what it wants to see, and nothing limits that; look once, and requeue with RequeueAfter`
		time.Sleep(5 * time.Second)
		if err := p.Get(ctx, req.NamespacedName, &set); err != nil {
			return ctrl.Result{}, err
		}
	}
	if _, err := p.uploaded(ctx, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := p.gone(ctx, &set); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, p.fine(ctx, &set)
}

// uploaded asks the driver.
func (p *poller) uploaded(ctx context.Context, id string) (int64, error) {
	for { // want `stuck: Reconcile holds its worker as long as this loop waits for what it wants to see`
		done, size, err := p.driver.IsUploaded(ctx, id)
		if err != nil {
			return 0, err
		}
		if done {
			return size, nil
		}
		time.Sleep(10 * time.Second)
	}
}

// gone waits until the object is deleted.
func (p *poller) gone(ctx context.Context, set *appsv1.StatefulSet) error {
	for { // want `stuck: Reconcile holds its worker as long as this loop waits for what it wants to see`
		err := p.Get(ctx, client.ObjectKeyFromObject(set), set)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}

func (p *poller) fine(ctx context.Context, set *appsv1.StatefulSet) error {
	if err := p.attempts(ctx, set); err != nil {
		return err
	}
	if err := p.until(ctx, set); err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := p.within(short, set); err != nil {
		return err
	}
	if err := p.own(ctx, set); err != nil {
		return err
	}
	if err := p.pages(ctx); err != nil {
		return err
	}
	if err := p.upload(set.Name); err != nil {
		return err
	}
	return p.update(ctx, set)
}

// attempts counts.
func (p *poller) attempts(ctx context.Context, set *appsv1.StatefulSet) error {
	for n := 0; n < 3; n++ {
		if err := p.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
		if set.Status.ReadyReplicas > 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s is not ready", set.Name)
}

// until looks at the clock.
func (p *poller) until(ctx context.Context, set *appsv1.StatefulSet) error {
	end := time.Now().Add(time.Second)
	for set.Status.ReadyReplicas == 0 {
		if time.Now().After(end) {
			return fmt.Errorf("%s is not ready", set.Name)
		}
		if err := p.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// within gets a context with a timeout.
func (p *poller) within(ctx context.Context, set *appsv1.StatefulSet) error {
	for set.Status.ReadyReplicas == 0 {
		time.Sleep(100 * time.Millisecond)
		if err := p.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
	}
	return nil
}

// own makes one itself.
func (p *poller) own(ctx context.Context, set *appsv1.StatefulSet) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for set.Status.ReadyReplicas == 0 {
		time.Sleep(100 * time.Millisecond)
		if err := p.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
	}
	return nil
}

// pages goes through a list.
func (p *poller) pages(ctx context.Context) error {
	var pods corev1.PodList
	for {
		if err := p.List(ctx, &pods, client.Continue(pods.Continue)); err != nil {
			return err
		}
		if pods.Continue == "" {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// upload goes on.
func (p *poller) upload(id string) error {
	for {
		more, err := p.driver.Upload(id)
		if err != nil || !more {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// update tries again after a conflict.
func (p *poller) update(ctx context.Context, set *appsv1.StatefulSet) error {
	for {
		if err := p.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
		set.Labels = map[string]string{"app": set.Name}
		err := p.Update(ctx, set)
		if !apierrors.IsConflict(err) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// boot waits when the program starts.
func (p *poller) boot(ctx context.Context, set *appsv1.StatefulSet) error {
	for set.Status.ReadyReplicas == 0 {
		time.Sleep(time.Second)
		if err := p.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
	}
	return nil
}
