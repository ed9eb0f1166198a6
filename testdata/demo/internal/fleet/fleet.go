// Package fleet runs the servers of caches, and keeps what it writes steady.
package fleet

import (
	"context"
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appslisters "k8s.io/client-go/listers/apps/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// Reconciler runs the servers of a Cache.
type Reconciler struct {
	client.Client
	Deployments appslisters.DeploymentLister
	Resources   corev1.ResourceRequirements
	Env         map[string]string
}

// Reconcile starts a job that fills a new Cache, once.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace), client.MatchingLabels{"cache": req.Name}); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		GenerateName: req.Name + "-", Namespace: req.Namespace, Labels: map[string]string{"cache": req.Name},
	}}
	if err := r.Create(ctx, job); err != nil {
		return ctrl.Result{}, fmt.Errorf("creating the job: %w", err)
	}
	return ctrl.Result{}, nil
}

// Owner refers to the servers of a Cache.
func (r *Reconciler) Owner(namespace, name string) (*metav1.OwnerReference, error) {
	servers, err := r.Deployments.Deployments(namespace).Get(name)
	if err != nil {
		return nil, fmt.Errorf("getting the servers: %w", err)
	}
	return metav1.NewControllerRef(servers, servers.GroupVersionKind()), nil
}

// servers is what a Cache's servers shall be.
func (r *Reconciler) servers(key client.ObjectKey) *appsv1.Deployment {
	server := corev1.Container{Name: "server", Resources: r.Resources}
	for name, value := range r.Env {
		server.Env = append(server.Env, corev1.EnvVar{Name: name, Value: value})
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace, Annotations: map[string]string{"env": r.hash()}},
		Spec:       appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{server}}}},
	}
}

// hash tells whether the environment has changed.
func (r *Reconciler) hash() string {
	h := fnv.New32a()
	for name, value := range r.Env {
		fmt.Fprintln(h, name, value)
	}
	return fmt.Sprintf("%x", h.Sum32())
}

// Sync updates the servers if they are not as they shall be.
func (r *Reconciler) Sync(ctx context.Context, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, key, found); err != nil {
		return fmt.Errorf("getting the servers: %w", err)
	}
	want := r.servers(key)
	if !reflect.DeepEqual(found.Spec.Template.Spec, want.Spec.Template.Spec) {
		found.Spec.Template.Spec = want.Spec.Template.Spec
		return r.Update(ctx, found)
	}
	return nil
}

// Scale has as many servers run as the Cache asks for, or the usual number.
func (r *Reconciler) Scale(ctx context.Context, cache *v1alpha1.Cache) error {
	found := &appsv1.Deployment{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(cache), found); err != nil {
		return fmt.Errorf("getting the servers: %w", err)
	}
	want := r.scaled(cache)
	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) {
		found.Spec = want.Spec
		return r.Update(ctx, found)
	}
	return nil
}

func (r *Reconciler) scaled(cache *v1alpha1.Cache) *appsv1.Deployment {
	servers := r.servers(client.ObjectKeyFromObject(cache))
	servers.Spec.Replicas = cache.Spec.Replicas
	return servers
}

// Options writes down the options that its annotations set.
func (r *Reconciler) Options(ctx context.Context, key client.ObjectKey) error {
	found := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, found); err != nil {
		return fmt.Errorf("getting the options: %w", err)
	}
	options := make(map[string]string)
	for name, value := range found.Annotations {
		if strings.HasPrefix(name, "OPT_") {
			options[name] = value
		}
	}
	if !reflect.DeepEqual(found.Data, options) {
		found.Data = options
		return r.Update(ctx, found)
	}
	return nil
}

// Moved reports whether servers were moved to other nodes.
func Moved(before []string, servers *appsv1.Deployment, nodes []corev1.Node) bool {
	return !reflect.DeepEqual(&servers.Spec.Template.Spec, corev1.PodSpec{}) && len(before) != len(nodes)
}

// Restarted reports whether a server was started anew.
func Restarted(old, cur *corev1.Pod) bool {
	return old.Status.StartTime != cur.Status.StartTime
}

// +kubebuilder:webhook:path=/validate-fleet,mutating=false,failurePolicy=fail,sideEffects=None,groups=cache.demo.opvet.dev,resources=caches,verbs=create;update,versions=v1alpha1,name=vfleet.demo.opvet.dev,admissionReviewVersions=v1

// Validator admits caches whose credentials there are.
type Validator struct{ Client client.Reader }

// ValidateCreate admits new caches.
func (v *Validator) ValidateCreate(context.Context, *v1alpha1.Cache) ([]string, error) {
	return nil, nil
}

// ValidateUpdate admits changes.
func (v *Validator) ValidateUpdate(ctx context.Context, _, cache *v1alpha1.Cache) ([]string, error) {
	if err := v.Client.Get(ctx, client.ObjectKey{Namespace: cache.Namespace, Name: cache.Name + "-credentials"}, &corev1.Secret{}); err != nil {
		return nil, fmt.Errorf("looking for the credentials: %w", err)
	}
	return nil, nil
}

// ValidateDelete admits deletions.
func (v *Validator) ValidateDelete(context.Context, *v1alpha1.Cache) ([]string, error) {
	return nil, nil
}
