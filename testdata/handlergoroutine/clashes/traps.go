package clashes

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *reconciler) read(namespace, name string) error {
	_, err := r.kube.CoreV1().Pods(namespace).Get(context.Background(), name, metav1.GetOptions{})
	return err
}

func (r *reconciler) ownVariable(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^hygiene: `
		var err error
		for range 3 {
			if err = r.read(req.Namespace, req.Name); err == nil {
				return
			}
		}
		klog.Error(err)
	}()
	return ctrl.Result{}, nil
}

// nobodyReads what the goroutine sets.
func (r *reconciler) nobodyReads(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var err error
	go func() { // want `^hygiene: `
		if err = r.read(req.Namespace, req.Name); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

func (r *reconciler) waited(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		errs  []error
	)
	for _, name := range []string{"a", "b"} {
		group.Go(func() {
			if err := r.read(req.Namespace, name); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	group.Wait()
	klog.Info(errs)
	return ctrl.Result{}, nil
}

func (r *reconciler) received(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = r.read(req.Namespace, req.Name)
	}()
	<-done
	return ctrl.Result{}, err
}

// locked: what is there by then is what was wanted.
func (r *reconciler) locked(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var mu sync.Mutex
	count := 0
	go func() { // want `^hygiene: `
		if r.read(req.Namespace, req.Name) == nil {
			mu.Lock()
			defer mu.Unlock()
			count++
		}
	}()
	mu.Lock()
	defer mu.Unlock()
	klog.Info(count)
	return ctrl.Result{}, nil
}

// eachRound has a variable of its own.
func (r *reconciler) eachRound(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	for _, name := range []string{"a", "b"} {
		var err error
		klog.Info(err)
		go func() { // want `^hygiene: `
			err = r.read(req.Namespace, name)
		}()
	}
	return ctrl.Result{}, nil
}

// setBefore: the goroutine only reads.
func (r *reconciler) setBefore(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	name := req.Name
	if name == "" {
		name = "default"
	}
	go func() { // want `^hygiene: `
		klog.Info(r.read(req.Namespace, name))
	}()
	klog.Info(name)
	return ctrl.Result{}, nil
}

func (r *reconciler) readBefore(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	err := r.read(req.Namespace, "first")
	if err != nil {
		return ctrl.Result{}, err
	}
	go func() { // want `^hygiene: `
		err = r.read(req.Namespace, req.Name)
	}()
	return ctrl.Result{}, nil
}

// copied: the goroutine has an object of its own.
func (r *reconciler) copied(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go func(backup *v1.Backup) { // want `^hygiene: `
		if err := r.read(backup.Namespace, backup.Name); err == nil {
			_ = r.announce(backup)
		}
	}(backup.DeepCopy())
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

// announce only makes an event.
func (r *reconciler) announce(backup *v1.Backup) error {
	event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: backup.Namespace, GenerateName: backup.Name}}
	return r.Create(context.Background(), event)
}

// changedBefore it is handed over.
func (r *reconciler) changedBefore(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	backup.Status.Phase = v1.BackupRunning
	go r.writeStatus(backup) // want `^loss: .*nobody tries again`
	return ctrl.Result{}, nil
}

// otherObject is changed.
func (r *reconciler) otherObject(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup, other := new(v1.Backup), new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go r.writeStatus(backup.DeepCopy()) // want `^loss: .*nobody tries again`
	other.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, other)
}

// onlyName is read of it.
func (r *reconciler) onlyName(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go func() { // want `^hygiene: `
		klog.Info(r.read(backup.Namespace, backup.Name))
	}()
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, nil
}

// eachObject is changed before its goroutine, in each round.
func (r *reconciler) eachObject(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return ctrl.Result{}, err
	}
	for i := range list.Items {
		backup := list.Items[i].DeepCopy()
		backup.Status.Phase = v1.BackupRunning
		go r.writeStatus(backup) // want `^loss: .*nobody tries again`
	}
	return ctrl.Result{}, nil
}
