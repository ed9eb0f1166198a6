package watch

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// Watches with a context that nothing cancels.

// RangeForEver goes on until the server has had enough.
func RangeForEver(kube kubernetes.Interface) error {
	w, err := kube.CoreV1().Pods("").Watch(context.TODO(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() { // want `hygiene: nothing ends this loop at shutdown: the watch has a context that is never cancelled \(line \d+\); hand a context to RangeForEver and Watch.*ctxdone/watch`
		each(event)
	}
	return nil
}

// EitherWay opens one of two watches.
func (r *Reconciler) EitherWay(namespace string) error {
	ctx := context.Background()
	var w watch.Interface
	var err error
	if namespace == "" {
		w, err = r.dynamic.Resource(r.gvr).Watch(ctx, metav1.ListOptions{})
	} else {
		w, err = r.dynamic.Resource(r.gvr).Namespace(namespace).Watch(ctx, metav1.ListOptions{})
	}
	if err != nil {
		return err
	}
	for event := range w.ResultChan() { // want `hygiene: nothing ends this loop`
		each(event)
	}
	return nil
}

// StopsTooLate stops the watch when the loop has ended, which it does not.
func (r *Reconciler) StopsTooLate() error {
	w, err := r.client.Watch(context.Background(), &corev1.PodList{})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() { // want `hygiene: nothing ends this loop`
		each(event)
	}
	return nil
}

// InAGoroutine does so in the background.
func (r *Reconciler) InAGoroutine(name string) {
	go func() {
		w, err := r.kube.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()})
		if err != nil {
			return
		}
		for event := range w.ResultChan() { // want `hygiene: nothing ends this loop`
			each(event)
		}
	}()
}

// WithOk asks whether the watch is closed, and for nothing else.
func WithOk(kube kubernetes.Interface) error {
	w, err := kube.CoreV1().Secrets("").Watch(context.TODO(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	events := w.ResultChan() // want `nothing ends this loop`
	for {
		event, ok := <-events
		if !ok {
			return nil
		}
		each(event)
	}
}

// OrTimeout waits for no more than a minute, but leaves the watch open.
func OrTimeout(kube kubernetes.Interface) error {
	w, err := kube.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{}) // want `the watch stays open when OrTimeout returns \(line \d+\), with its connection and goroutine, until the process ends; stop it in a defer.*ctxdone/watch`
	if err != nil {
		return err
	}
	late := time.After(time.Minute)
	for {
		select {
		case event, ok := <-w.ResultChan():
			if !ok || ready(event) {
				return nil
			}
		case <-late:
			return context.DeadlineExceeded
		}
	}
}

// Each waits for each object that is added, and leaves a goroutine behind each time.
func (r *Reconciler) Each(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			go func() {
				w, err := r.kube.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{})
				if err != nil {
					return
				}
				for event := range w.ResultChan() { // want `leak: nothing ends this loop`
					each(event)
				}
			}()
		},
	})
	return err
}

// Limited is right: the server ends the watch after a minute.
func Limited(kube kubernetes.Interface) error {
	w, err := kube.CoreV1().Pods("").Watch(context.TODO(), metav1.ListOptions{TimeoutSeconds: ptr.To[int64](60)})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		each(event)
	}
	return nil
}

// Bridged is right: somebody stops the watch when the channel is closed.
func Bridged(kube kubernetes.Interface, stop <-chan struct{}) error {
	w, err := kube.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	go func() {
		<-stop
		w.Stop()
	}()
	for event := range w.ResultChan() {
		each(event)
	}
	return nil
}

// StoppedByATimer is right.
func StoppedByATimer(kube kubernetes.Interface) error {
	w, err := kube.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	timer := time.AfterFunc(time.Minute, w.Stop)
	defer timer.Stop()
	for event := range w.ResultChan() {
		each(event)
	}
	return nil
}

// OwnTimeout is right: the context ends by itself.
func OwnTimeout(kube kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	w, err := kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		each(event)
	}
	return nil
}

// Selected is right: it listens to its caller as well, and stops the watch.
func Selected(kube kubernetes.Interface, stop <-chan struct{}) error {
	w, err := kube.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case <-stop:
			return nil
		case event, ok := <-w.ResultChan():
			if !ok {
				return nil
			}
			each(event)
		}
	}
}
