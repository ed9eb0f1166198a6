// Package mistakes has retries that cannot help.
package mistakes

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	kube kubernetes.Interface
}

// stale-object

func (r *reconciler) parameter(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		return r.Status().Update(ctx, b) // want `load: one conflict fails all attempts.* \*v1.Backup was read before RetryOnConflict.*\(conflictretry/stale-object\)`
	})
}

func (r *reconciler) readBefore(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Spec.Paused = true
		if err := r.Update(ctx, b); err != nil { // want `\(conflictretry/stale-object\)`
			return fmt.Errorf("update: %w", err)
		}
		return nil
	})
}

// The object is read once for both: it is told once.
func (r *reconciler) addedOrTakenOff(ctx context.Context, b *v1.Backup, on bool) error {
	if on {
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			b.Labels["guard"] = "on"
			return r.Update(ctx, b) // want `read and change it inside the function \(conflictretry/stale-object\)`
		})
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		delete(b.Labels, "guard")
		return r.Update(ctx, b)
	})
}

func (r *reconciler) copied(ctx context.Context, b *v1.Backup) error {
	return retry.OnError(retry.DefaultRetry, apierrors.IsConflict, func() error {
		latest := b.DeepCopy()
		latest.Spec.Paused = true
		return r.Update(ctx, latest) // want `\(conflictretry/stale-object\)`
	})
}

func (r *reconciler) typed(ctx context.Context, name string) error {
	node, err := r.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node.Spec.Unschedulable = true
		_, err := r.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{}) // want `\(conflictretry/stale-object\)`
		return err
	})
}

func (r *reconciler) helper(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return r.write(ctx, b) // want `\(conflictretry/stale-object\)`
	})
}

func (r *reconciler) write(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "done"
	return r.Status().Update(ctx, b)
}

func (r *reconciler) intoAnother(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), latest); err != nil {
			return err
		}
		b.Status.Message = "done"
		return r.Status().Update(ctx, b) // want `the \*v1.Backup that line \d+ reads is not used`
	})
}

func (r *reconciler) dropped(ctx context.Context, b *v1.Backup) {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		return r.Status().Update(ctx, b) // want `loss: .* the write is lost.*\(conflictretry/stale-object\)`
	})
	if err != nil {
		fmt.Println("status", err)
	}
}

func (r *reconciler) answersAnyway(ctx context.Context, b *v1.Backup) error {
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		return r.Status().Update(ctx, b) // want `loss: .*\(conflictretry/stale-object\)`
	}); err != nil {
		fmt.Println("status", err)
	}
	return nil
}

// swallowed

func (r *reconciler) overwritten(ctx context.Context, b *v1.Backup) error {
	var err error
	try := func() error {
		b.Status.Message = "done"
		err = r.Status().Update(ctx, b) // want `if Update conflicts, the write of \*v1.Backup is lost: line \d+ returns nil after reading again.*\(conflictretry/swallowed\)`
		if apierrors.IsConflict(err) {
			err = r.Get(ctx, client.ObjectKeyFromObject(b), b)
		}
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, try)
}

func (r *reconciler) local(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		err := r.Status().Update(ctx, b) // want `\(conflictretry/swallowed\)`
		if err != nil {
			if err = r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
				return err
			}
		}
		return err
	})
}

func (r *reconciler) wrongVariable(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		err := r.Status().Update(ctx, b) // want `\(conflictretry/swallowed\)`
		if apierrors.IsConflict(err) {
			if getErr := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
				return getErr
			}
		}
		return err
	})
}

func (r *reconciler) ignoresGone(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		err := r.Status().Update(ctx, b) // want `\(conflictretry/swallowed\)`
		if apierrors.IsConflict(err) {
			return client.IgnoreNotFound(r.Get(ctx, client.ObjectKeyFromObject(b), b))
		}
		return err
	})
}

// A copy of client-go's, as projects have it.
func RetryOnConflict(backoff wait.Backoff, fn func() error) error {
	return retry.OnError(backoff, apierrors.IsConflict, fn)
}

func (r *reconciler) own(ctx context.Context, b *v1.Backup) error {
	return RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		err := r.Status().Update(ctx, b) // want `nothing is retried`
		if apierrors.IsConflict(err) {
			err = r.Get(ctx, client.ObjectKeyFromObject(b), b)
		}
		return err
	})
}

// cannot-fire

func (r *reconciler) formatted(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node := &corev1.Node{}
		if err := r.Get(ctx, key, node); err != nil {
			return err
		}
		node.Spec.Unschedulable = true
		if err := r.Update(ctx, node); err != nil {
			return fmt.Errorf("cordon %s: %v", node.Name, err) // want `load: a conflict on line \d+ is not retried: its error becomes text here, and RetryOnConflict gives up.*\(conflictretry/cannot-fire\)`
		}
		return nil
	})
}

// What was read from the API server a moment ago hardly conflicts.
func (r *reconciler) formattedLive(ctx context.Context, name string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := r.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		node.Spec.Unschedulable = true
		if _, err := r.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("cordon %s: %v", node.Name, err) // want `^hygiene: a conflict on line \d+ is not retried`
		}
		return nil
	})
}

// So does what a function makes of it, if there is one.
func (r *reconciler) formattedMadeOfLive(ctx context.Context, name string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := r.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			node = nil
		} else if err != nil {
			return err
		}
		node, found := cordoned(node, name)
		if found {
			_, err = r.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		} else {
			_, err = r.kube.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		}
		if err != nil {
			return fmt.Errorf("cordon %s: %v", name, err) // want `^hygiene: a conflict on line \d+ is not retried`
		}
		return nil
	})
}

func cordoned(node *corev1.Node, name string) (*corev1.Node, bool) {
	found := node != nil
	if !found {
		node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	node.Spec.Unschedulable = true
	return node, found
}

// What else is read from there says nothing of it.
func (r *reconciler) formattedBesideLive(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		settings, err := r.kube.CoreV1().ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
		if err != nil {
			return err
		}
		node := &corev1.Node{}
		if err := r.Get(ctx, key, node); err != nil {
			return err
		}
		node.Labels = settings.Data
		if err := r.Update(ctx, node); err != nil {
			return fmt.Errorf("label %s: %v", node.Name, err) // want `^load: a conflict on line \d+ is not retried`
		}
		return nil
	})
}

func (r *reconciler) formattedAndLogged(ctx context.Context, key client.ObjectKey) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node := &corev1.Node{}
		if err := r.Get(ctx, key, node); err != nil {
			return err
		}
		if err := r.Update(ctx, node); err != nil {
			return fmt.Errorf("cordon %s: %s", node.Name, err) // want `loss: the write of line \d+ is lost on a conflict.*\(conflictretry/cannot-fire\)`
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	return nil
}

func (r *reconciler) text(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node := &corev1.Node{}
		if err := r.Get(ctx, key, node); err != nil {
			return err
		}
		node.Spec.Unschedulable = true
		if err := r.Update(ctx, node); err != nil {
			return errors.New(err.Error()) // want `\(conflictretry/cannot-fire\)`
		}
		return nil
	})
}

// failed-read

func (r *reconciler) logsFailedRead(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			fmt.Println("cannot read", err)
		}
		b.Status.Message = "done"
		return r.Status().Update(ctx, b) // want `hygiene: if Get on line \d+ fails, an attempt is wasted on the \*v1.Backup that was read before.*\(conflictretry/failed-read\)`
	})
}

func (r *reconciler) dropsReadError(ctx context.Context, key client.ObjectKey) error {
	latest := &v1.Backup{}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		_ = r.Get(ctx, key, latest)
		latest.Spec.Paused = true
		return r.Update(ctx, latest) // want `loss: if Get on line \d+ fails, a stale or empty \*v1.Backup is written.*\(conflictretry/failed-read\)`
	})
}

func (r *reconciler) namesItself(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}
		_ = r.Get(ctx, key, latest)
		latest.Spec.Paused = true
		return r.Update(ctx, latest) // want `\(conflictretry/failed-read\)`
	})
}

func (r *reconciler) readsAfterFailure(ctx context.Context, b *v1.Backup) error {
	first := true
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if !first {
			if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
				fmt.Println("cannot read", err)
			}
		}
		first = false
		b.Status.Message = "done"
		return r.Status().Update(ctx, b) // want `\(conflictretry/failed-read\)`
	})
}

// collectsReadError tells its caller all that went wrong, and what it had read before has a
// resourceVersion.
func (r *reconciler) collectsReadError(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var errs []error
		if err := r.Get(ctx, key, b); err != nil {
			errs = append(errs, err)
		}
		b.Status.Message = "done"
		if err := r.Status().Update(ctx, b); err != nil { // want `hygiene: if Get on line \d+ fails, an attempt is wasted`
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

// What is asked the second time is another error.
func (r *reconciler) askedAnother(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		err := r.Status().Update(ctx, b) // want `\(conflictretry/swallowed\)`
		if apierrors.IsConflict(err) {
			err = r.Get(ctx, client.ObjectKeyFromObject(b), b)
		}
		if !apierrors.IsConflict(err) {
			return nil
		}
		return err
	})
}

// It is read in a function that runs before, or in an earlier round.
func (r *reconciler) waitedForFirst(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		return r.Get(ctx, key, b) == nil, nil
	}); err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		return r.Status().Update(ctx, b) // want `\(conflictretry/stale-object\)`
	})
}

func (r *reconciler) eachRound(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	for range 3 {
		if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
			b.Status.Message = "done"
			return r.Status().Update(ctx, b) // want `\(conflictretry/stale-object\)`
		}); err == nil {
			return nil
		}
		if err := r.Get(ctx, key, b); err != nil {
			return err
		}
	}
	return nil
}
