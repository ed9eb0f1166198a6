package mistakes

import (
	"context"

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
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
				l.queue.Add(key)
			}
		},
		UpdateFunc: func(_, cur any) {
			if key, err := cache.MetaNamespaceKeyFunc(cur); err == nil {
				_ = l.label(key) // want `l\.label runs past l\.queue: beside a worker that has the same object \(line \d+\), and with no retry; add the key to the queue \(workqueue/bypassed\)`
			}
		},
		DeleteFunc: l.deleted,
	})
	return err
}

// deleted runs it in a goroutine, which is no better.
func (l *labeller) deleted(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		go l.label(key) // want `bypassed`
	}
}

func (l *labeller) next() bool {
	key, quit := l.queue.Get()
	if quit {
		return false
	}
	defer l.queue.Done(key)
	if err := l.label(key); err != nil {
		l.queue.AddRateLimited(key)
		return true
	}
	l.queue.Forget(key)
	return true
}

func (l *labeller) label(key string) error {
	_, err := l.client.CoreV1().ConfigMaps("default").Update(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: key}}, metav1.UpdateOptions{})
	return err
}
