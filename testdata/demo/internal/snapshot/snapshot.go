// Package snapshot copies the servers' data to a volume, and serves the copies.
package snapshot

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// Taker takes snapshots. It is a manager.Runnable.
type Taker struct {
	Kube      kubernetes.Interface
	Namespace string
	// Dir is the directory of the volume.
	Dir string
	// Store is the address of the object store.
	Store string
}

// Start serves the snapshots, and drops old ones, until ctx is done.
func (t *Taker) Start(ctx context.Context) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/snapshots/", t.serve)
	server := &http.Server{Addr: ":9443", Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		if err := server.Close(); err != nil {
			klog.ErrorS(err, "Closing the server")
		}
	}()
	go t.expire(ctx)
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// expire drops snapshots that are older than a week.
func (t *Taker) expire(ctx context.Context) {
	log := klog.FromContext(ctx)
	for range time.Tick(time.Hour) {
		if err := t.waitForVolume(ctx); err != nil {
			log.Error(err, "Waiting for the volume")
			continue
		}
		old, err := filepath.Glob(filepath.Join(t.Dir, "*.old"))
		if err != nil {
			log.Error(err, "Looking for old snapshots")
			continue
		}
		for _, file := range old {
			if err := os.Remove(file); err != nil {
				log.Error(err, "Dropping a snapshot", "file", file)
			}
		}
	}
}

// waitForVolume waits until the volume is mounted.
func (t *Taker) waitForVolume(ctx context.Context) error {
	klog.FromContext(ctx).Info("Waiting for the volume", "dir", t.Dir)
	return wait.PollUntilContextCancel(context.Background(), 5*time.Second, true, func(context.Context) (bool, error) {
		_, err := os.Stat(t.Dir)
		return err == nil, nil
	})
}

// serve hands a snapshot to the replica that asks for it, fetching it from the
// object store first.
func (t *Taker) serve(w http.ResponseWriter, r *http.Request) {
	resp, err := http.Get(t.Store + r.URL.Path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if err := resp.Write(w); err != nil {
		klog.ErrorS(err, "Serving a snapshot", "path", r.URL.Path)
	}
}

// Take makes a snapshot of a server and waits for its pod to be ready again.
func (t *Taker) Take(ctx context.Context, pod string) error {
	if err := t.pause(ctx, pod); err != nil {
		return err
	}
	done := make(chan error)
	go func() {
		done <- t.archive(ctx, pod)
	}()
	select {
	case err := <-done:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	return t.waitForPod(ctx, pod)
}

// pause tells the server to write its data, and gives it the time to do so.
func (t *Taker) pause(ctx context.Context, pod string) error {
	p, err := t.Kube.CoreV1().Pods(t.Namespace).Get(ctx, pod, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if p.Status.PodIP == "" {
		return fmt.Errorf("pod %s has no address", pod)
	}
	time.Sleep(30 * time.Second)
	return nil
}

// archive packs what the server wrote.
func (t *Taker) archive(ctx context.Context, pod string) error {
	klog.FromContext(ctx).Info("Packing", "pod", pod)
	out, err := exec.Command("tar", "-czf", filepath.Join(t.Dir, pod+".tgz"), filepath.Join(t.Dir, pod)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("packing: %w: %s", err, out)
	}
	return nil
}

// waitForPod waits until the pod runs.
func (t *Taker) waitForPod(ctx context.Context, name string) error {
	_, err := t.Kube.CoreV1().Pods(t.Namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	w, err := t.Kube.CoreV1().Pods(t.Namespace).Watch(context.Background(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if pod, ok := event.Object.(*corev1.Pod); ok && pod.Status.Phase == corev1.PodRunning {
			return nil
		}
	}
	return fmt.Errorf("the watch of pod %s ended", name)
}
