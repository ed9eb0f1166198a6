// Package capacity watches how much room backups have.
package capacity

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Monitor answers how much room there is.
type Monitor struct {
	client  kubernetes.Interface
	claims  cache.SharedIndexInformer
	volumes corelisters.PersistentVolumeLister
	stop    chan struct{}
}

// New watches volumes.
func New(ctx context.Context, client kubernetes.Interface) (*Monitor, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	claims := factory.Core().V1().PersistentVolumeClaims().Informer()
	factory.Start(ctx.Done())
	volumes := factory.Core().V1().PersistentVolumes().Lister()
	if !cache.WaitForCacheSync(ctx.Done(), claims.HasSynced) {
		return nil, errors.New("volume claims have not synced")
	}
	return &Monitor{client: client, claims: claims, volumes: volumes, stop: make(chan struct{})}, nil
}

// Stop ends what the monitor has started.
func (m *Monitor) Stop() { close(m.stop) }

// ServeHTTP streams the names of new claims.
func (m *Monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, err := m.claims.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if claim, ok := obj.(*corev1.PersistentVolumeClaim); ok {
				_, _ = w.Write([]byte(claim.Name))
			}
		},
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	<-r.Context().Done()
}

// Report counts the nodes again and again.
func (m *Monitor) Report(report func(string)) {
	go wait.Until(func() {
		factory := informers.NewSharedInformerFactory(m.client, 0)
		nodes := factory.Core().V1().Nodes().Informer()
		factory.Start(m.stop)
		if cache.WaitForCacheSync(m.stop, nodes.HasSynced) {
			report(strconv.Itoa(len(nodes.GetStore().ListKeys())))
		}
	}, time.Hour, m.stop)
}

// Classes lists the storage classes.
func (m *Monitor) Classes() (int, error) {
	factory := informers.NewSharedInformerFactory(m.client, 0)
	classes, err := factory.Storage().V1().StorageClasses().Lister().List(labels.Everything())
	return len(classes), err
}

// AwaitVolume waits until there is a volume.
func AwaitVolume(client kubernetes.Interface) {
	bound := make(chan struct{}, 1)
	factory := informers.NewSharedInformerFactory(client, 0)
	_, err := factory.Core().V1().PersistentVolumes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			select {
			case bound <- struct{}{}:
			default:
			}
		},
	})
	if err != nil {
		return
	}
	factory.Start(wait.NeverStop)
	<-bound
}
