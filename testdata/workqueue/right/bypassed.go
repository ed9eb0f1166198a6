package right

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type labeller struct {
	client kubernetes.Interface
	queue  workqueue.TypedRateLimitingInterface[string]
}

func (l *labeller) watch(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			key, err := cache.MetaNamespaceKeyFunc(obj)
			if err != nil || l.check(key) != nil {
				return
			}
			l.queue.Add(key)
		},
		DeleteFunc: func(obj any) {
			if pod, ok := obj.(*corev1.Pod); ok {
				_ = l.write(pod.Name) // a part of the work, not the workers' function
			}
		},
	})
	return err
}

func (l *labeller) next() bool {
	key, quit := l.queue.Get()
	if quit {
		return false
	}
	defer l.queue.Done(key)
	if l.check(key) != nil {
		l.queue.Forget(key)
		return true
	}
	if err := l.label(key); err != nil {
		l.queue.AddRateLimited(key)
		return true
	}
	l.queue.Forget(key)
	return true
}

// check is called by the handler as well, but does nothing that matters.
func (l *labeller) check(key string) error {
	if key == "" {
		return errors.New("no key")
	}
	return nil
}

func (l *labeller) label(key string) error { return l.write(key) }

func (l *labeller) write(name string) error {
	_, err := l.client.CoreV1().ConfigMaps("default").Update(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.UpdateOptions{})
	return err
}
