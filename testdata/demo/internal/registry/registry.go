// Package registry keeps the list of images that servers may run, in a
// ConfigMap.
package registry

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// imagesFinalizer keeps the list while servers run.
const imagesFinalizer = "cache.demo.opvet.dev/images"

// Registry reads and writes the list.
type Registry struct {
	client.Client
	Key types.NamespacedName
}

// Session is what one caller does with the list.
type Session struct {
	ctx context.Context
	*Registry
}

// Begin starts a session, which ends when ctx does.
func (r *Registry) Begin(ctx context.Context) *Session { return &Session{ctx: ctx, Registry: r} }

// Allowed reports whether servers may run an image.
func (r *Registry) Allowed(ctx context.Context, image string) (bool, error) {
	log.FromContext(ctx).V(1).Info("Looking up", "image", image)
	var list corev1.ConfigMap
	if err := r.Get(context.TODO(), r.Key, &list); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	_, ok := list.Data[image]
	return ok, nil
}

// Reconcile makes the list if it is not there.
func (r *Registry) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	list := &corev1.ConfigMap{}
	list.Name, list.Namespace = req.Name, req.Namespace
	controllerutil.AddFinalizer(list, imagesFinalizer)
	return ctrl.Result{}, client.IgnoreAlreadyExists(r.Create(context.Background(), list))
}

// Allow adds an image to the list.
func (s *Session) Allow(image string) error {
	var list corev1.ConfigMap
	if err := s.Get(s.ctx, s.Key, &list); err != nil {
		return err
	}
	if list.Data == nil {
		list.Data = make(map[string]string)
	}
	list.Data[image] = ""
	return s.Update(context.TODO(), &list)
}

// Forget removes an image from the list.
func (r *Registry) Forget(ctx context.Context, image string) error {
	log.FromContext(ctx).Info("Forgetting", "image", image)
	return r.remove(image)
}

func (r *Registry) remove(image string) error {
	ctx := context.TODO()
	var list corev1.ConfigMap
	if err := r.Get(ctx, r.Key, &list); err != nil {
		return client.IgnoreNotFound(err)
	}
	delete(list.Data, image)
	return r.Update(ctx, &list)
}

// ServeHTTP answers whether an image may run, and counts the question.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	image := req.URL.Query().Get("image")
	go func() {
		if err := r.count(context.WithoutCancel(req.Context()), image); err != nil {
			log.Log.Error(err, "Counting", "image", image)
		}
	}()
	ok, err := r.Allowed(req.Context(), image)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, ok)
}

// count notes how often an image was asked for.
func (r *Registry) count(ctx context.Context, image string) error {
	list := &corev1.ConfigMap{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: r.Key.Namespace, Name: "asked"}, list); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := list.DeepCopy()
	if list.Data == nil {
		list.Data = make(map[string]string)
	}
	list.Data[image] += "."
	return r.Patch(quiet(ctx), list, client.MergeFrom(before))
}

// quiet keeps the client from logging the write.
func quiet(context.Context) context.Context { return context.Background() }

// SetupWithManager registers the controller.
func (r *Registry) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("registry").For(&corev1.ConfigMap{}).Complete(r)
}
