// Package right has retries that look alike and help.
package right

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	kube  kubernetes.Interface
	nodes corelisters.NodeLister
}

func (r *reconciler) readInside(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, key, b); err != nil {
			return client.IgnoreNotFound(err)
		}
		b.Spec.Paused = true
		return r.Update(ctx, b)
	})
}

func (r *reconciler) readAfterFailure(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		err := r.Status().Update(ctx, b)
		if apierrors.IsConflict(err) {
			if getErr := r.Get(ctx, client.ObjectKeyFromObject(b), b); getErr != nil {
				return getErr
			}
		}
		return err
	})
}

func (r *reconciler) shadowed(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "done"
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		err := r.Status().Update(ctx, b)
		if apierrors.IsConflict(err) {
			err := r.Get(ctx, client.ObjectKeyFromObject(b), b)
			if err != nil {
				return err
			}
			b.Status.Message = "done"
		}
		return err
	})
}

func (r *reconciler) secondAttempt(ctx context.Context, b *v1.Backup) error {
	first := true
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if !first {
			if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
				return err
			}
		}
		first = false
		b.Spec.Paused = true
		return r.Update(ctx, b)
	})
}

func (r *reconciler) refresh(ctx context.Context, b *v1.Backup) error {
	return r.Get(ctx, client.ObjectKeyFromObject(b), b)
}

func (r *reconciler) readInHelper(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.refresh(ctx, b); err != nil {
			return err
		}
		b.Spec.Paused = true
		return r.Update(ctx, b)
	})
}

func (r *reconciler) latest(ctx context.Context, b *v1.Backup) (*v1.Backup, error) {
	found := &v1.Backup{}
	return found, r.Get(ctx, client.ObjectKeyFromObject(b), found)
}

func (r *reconciler) shadowedByHelper(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b, err := r.latest(ctx, b)
		if err != nil {
			return err
		}
		b.Spec.Paused = true
		return r.Update(ctx, b)
	})
}

func (r *reconciler) helperUpdates(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return r.apply(ctx, b) })
}

func (r *reconciler) apply(ctx context.Context, b *v1.Backup) error {
	latest, err := r.latest(ctx, b)
	if err != nil {
		return err
	}
	b.ResourceVersion = latest.ResourceVersion
	return r.Update(ctx, b)
}

func (r *reconciler) versionOnly(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), latest); err != nil {
			return err
		}
		b.SetResourceVersion(latest.GetResourceVersion())
		return r.Update(ctx, b)
	})
}

func (r *reconciler) lister(ctx context.Context, name string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := r.nodes.Get(name)
		if err != nil {
			return err
		}
		node = node.DeepCopy()
		node.Spec.Unschedulable = true
		_, err = r.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

func (r *reconciler) assigned(ctx context.Context, name string) error {
	node, err := r.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node.Spec.Unschedulable = true
		_, err := r.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		if err != nil {
			latest, getErr := r.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			if getErr != nil {
				return getErr
			}
			node = latest
		}
		return err
	})
}

// Made here, without a resourceVersion: it is written whatever is there.
func (r *reconciler) desired(ctx context.Context, name string) error {
	b := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return r.Update(ctx, b) })
}

func (r *reconciler) makes(ctx context.Context) error {
	return r.send(ctx, &v1.Backup{Spec: v1.BackupSpec{Paused: true}})
}

func (r *reconciler) send(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return r.Update(ctx, b) })
}

func (r *reconciler) create(ctx context.Context, b *v1.Backup) error {
	return retry.OnError(retry.DefaultRetry, apierrors.IsAlreadyExists, func() error { return r.Create(ctx, b) })
}

func (r *reconciler) patchByFactory(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, r.patch(ctx, b))
}

func (r *reconciler) patch(ctx context.Context, b *v1.Backup) func() error {
	return func() error {
		return r.Patch(ctx, b, client.RawPatch(types.JSONPatchType, []byte(`[{"op": "add"}]`)))
	}
}

func (r *reconciler) createOrUpdate(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error {
			b.Spec.Paused = true
			return nil
		})
		return err
	})
}

// OnError for failures that have nothing to do with conflicts.
func (r *reconciler) timeouts(ctx context.Context, b *v1.Backup) error {
	return retry.OnError(retry.DefaultRetry, apierrors.IsServerTimeout, func() error { return r.Update(ctx, b) })
}

// NotFound is the end of it.
func (r *reconciler) gone(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Spec.Paused = true
		err := r.Update(ctx, b)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if apierrors.IsConflict(err) {
			if getErr := r.Get(ctx, client.ObjectKeyFromObject(b), b); getErr != nil {
				if apierrors.IsNotFound(getErr) {
					return nil
				}
				return getErr
			}
		}
		return err
	})
}

// Only what is no conflict becomes text.
func (r *reconciler) otherErrors(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node := &corev1.Node{}
		if err := r.Get(ctx, key, node); err != nil {
			return fmt.Errorf("get: %v", err)
		}
		if err := r.Update(ctx, node); apierrors.IsConflict(err) {
			return err
		} else if err != nil {
			return fmt.Errorf("update: %v", err)
		}
		return nil
	})
}

// The function tries once more itself.
func (r *reconciler) twice(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Spec.Paused = true
		err := r.Update(ctx, b)
		if apierrors.IsConflict(err) {
			if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
				return err
			}
			b.Spec.Paused = true
			err = r.Update(ctx, b)
		}
		return err
	})
}

// What is changed before is kept aside and made again.
func (r *reconciler) keptAside(ctx context.Context, b *v1.Backup) error {
	b.Spec.Paused = true
	wanted := b.Spec
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		b.Spec = wanted
		return r.Update(ctx, b)
	})
}

// The change was stored before.
func (r *reconciler) stored(ctx context.Context, b *v1.Backup) error {
	b.Spec.Paused = true
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		b.Status.Message = "paused"
		return r.Status().Update(ctx, b)
	})
}

func (r *reconciler) silenced(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return r.Update(ctx, b) //nolint:conflictretry // for the metrics
	})
}

// A read that fails ends the attempt, whatever is logged.
func (r *reconciler) logsAndReturns(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			fmt.Println("cannot read", err)
			return err
		}
		b.Spec.Paused = true
		return r.Update(ctx, b)
	})
}

// It is made if it is not there.
func (r *reconciler) createsOrUpdates(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		found := &v1.Backup{}
		err := r.Get(ctx, client.ObjectKeyFromObject(b), found)
		if apierrors.IsNotFound(err) {
			return r.Create(ctx, b)
		}
		if err != nil {
			return err
		}
		found.Spec = b.Spec
		return r.Update(ctx, found)
	})
}

// Another object may be missing: what it says is only a hint.
func (r *reconciler) hint(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		source := &v1.Backup{}
		if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, source); err != nil {
			fmt.Println("no source", err)
		}
		b.Spec.Paused = source.Spec.Paused
		return r.Update(ctx, b)
	})
}

// The first of two reads may fail.
func (r *reconciler) fallsBack(ctx context.Context, name string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := r.nodes.Get(name)
		if err != nil {
			node, err = r.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		}
		if err != nil {
			return err
		}
		node = node.DeepCopy()
		node.Spec.Unschedulable = true
		_, err = r.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// What was read is used only if it was.
func (r *reconciler) onlyIfRead(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), latest); err == nil {
			latest.Spec.Paused = true
			return r.Update(ctx, latest)
		}
		return nil
	})
}

// The write is the try, and the read is for the next one.
func (r *reconciler) readForNext(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Spec.Paused = true
		err := r.Update(ctx, b)
		if apierrors.IsConflict(err) {
			if getErr := r.Get(ctx, client.ObjectKeyFromObject(b), b); getErr != nil {
				fmt.Println("cannot read", getErr)
			}
		}
		return err
	})
}

// The error is kept for the caller.
func (r *reconciler) aggregated(ctx context.Context, b *v1.Backup) (all []error) {
	_ = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			all = append(all, err)
			return nil
		}
		b.Spec.Paused = true
		return r.Update(ctx, b)
	})
	return all
}

// An object that is made for each attempt has no name unless it was read, and without
// one nothing is sent.

func (r *reconciler) dropsErrorOfFresh(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		_ = r.Get(ctx, key, latest)
		latest.Spec.Paused = true
		return r.Update(ctx, latest)
	})
}

func (r *reconciler) dropsTypedReadError(ctx context.Context, name string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, _ := r.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		node.Spec.Unschedulable = true
		_, err := r.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

func (r *reconciler) ignoresFailedRead(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, key, latest); client.IgnoreNotFound(err) != nil {
			fmt.Println("cannot read", err)
		}
		latest.Spec.Paused = true
		return r.Update(ctx, latest)
	})
}

// The helper makes the object, which has no name until it is read.
func (r *reconciler) blankOfHelper(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := blank()
		if err := r.Get(ctx, key, latest); client.IgnoreNotFound(err) != nil {
			fmt.Println("cannot read", err)
		}
		latest.Spec.Paused = true
		return r.Update(ctx, latest)
	})
}

func blank() *v1.Backup { return &v1.Backup{} }

// Made by the caller's caller, without a resourceVersion.
func (r *reconciler) madeAbove(ctx context.Context) error {
	return r.handsOn(ctx, &v1.Backup{Spec: v1.BackupSpec{Paused: true}})
}

func (r *reconciler) handsOn(ctx context.Context, b *v1.Backup) error { return r.sends(ctx, b) }

func (r *reconciler) sends(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return r.Update(ctx, b) })
}

// The conflict is handled where it is asked for the second time.
func (r *reconciler) askedTwice(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Message = "done"
		err := r.Status().Update(ctx, b)
		if apierrors.IsConflict(err) {
			if getErr := r.Get(ctx, client.ObjectKeyFromObject(b), b); getErr != nil {
				return getErr
			}
		}
		if !apierrors.IsConflict(err) {
			return nil
		}
		return err
	})
}

// dropped never tries again: it is another mistake.
func (r *reconciler) dropped(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Spec.Paused = true
		if err := r.Update(ctx, b); err == nil {
			return nil
		}
		return nil
	})
}
