// Package foreign has the cases of finalizerremoval/strips-foreign: others'
// finalizers go, too.
package foreign

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const (
	dataFinalizer  = "example.opvet.dev/data"
	indexFinalizer = "example.opvet.dev/index"
)

type reconciler struct {
	client.Client
	kube    kubernetes.Interface
	backups exampleclient.Interface
}

func (r *reconciler) add(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp != nil {
		return nil
	}
	controllerutil.AddFinalizer(b, dataFinalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) deleteData(context.Context, *v1.Backup) error  { return nil }
func (r *reconciler) deleteIndex(context.Context, *v1.Backup) error { return nil }

func (r *reconciler) emptied(ctx context.Context, b *v1.Backup) error {
	b.SetFinalizers(nil) // want `other controllers lose their finalizers on the Backup: all of them are removed here.*\(finalizerremoval/strips-foreign\)`
	return r.Update(ctx, b)
}

func (r *reconciler) emptyList(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.Finalizers = []string{} // want `\(finalizerremoval/strips-foreign\)`
	return r.Patch(ctx, b, client.MergeFrom(before))
}

func (r *reconciler) rawPatch(ctx context.Context, b *v1.Backup) error {
	data, _ := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": []string{}}})
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)) // want `\(finalizerremoval/strips-foreign\)`
}

func (r *reconciler) literalPatch(ctx context.Context, b *v1.Backup) error {
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))) // want `\(finalizerremoval/strips-foreign\)`
}

func (r *reconciler) jsonPatch(ctx context.Context, b *v1.Backup) error {
	patch := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"/metadata/finalizers"}]`))
	return r.Patch(ctx, b, patch) // want `\(finalizerremoval/strips-foreign\)`
}

func (r *reconciler) byName(ctx context.Context, name string) error {
	data := []byte(`{"metadata":{"finalizers":[]}}`)
	_, err := r.backups.ExampleV1().Backups("default").Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{}) // want `other controllers lose their finalizers on the Backup: all of them are removed here.*\(finalizerremoval/strips-foreign\)`
	return err
}

func clear(o client.Object) { o.SetFinalizers(nil) }

func (r *reconciler) byHelper(ctx context.Context, b *v1.Backup) error {
	clear(b) // want `other controllers lose their finalizers on the Backup: all of them are removed here.*\(finalizerremoval/strips-foreign\)`
	return r.Update(ctx, b)
}

func (r *reconciler) replaced(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Finalizers = []string{dataFinalizer} // want `hygiene: other controllers lose their finalizers on the Backup: the list is replaced.*\(finalizerremoval/strips-foreign\)`
	return r.Update(ctx, b)
}

func (r *reconciler) keepsOnlyTheFailed(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var err error
	finalizers := []string{}
	for _, f := range b.GetFinalizers() {
		switch f {
		case dataFinalizer:
			err = r.deleteData(ctx, b)
		case indexFinalizer:
			err = r.deleteIndex(ctx, b)
		}
		if err != nil {
			finalizers = append(finalizers, f)
		}
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		stored := new(v1.Backup)
		if err := r.Get(ctx, key, stored); err != nil {
			return err
		}
		stored.SetFinalizers(finalizers) // want `other controllers lose their finalizers on the Backup: the loop keeps only names that it knows.*\(finalizerremoval/strips-foreign\)`
		return r.Update(ctx, stored)
	})
}

func (r *reconciler) rebuilt(ctx context.Context, stored, built *corev1.Service) error {
	built.ResourceVersion = stored.ResourceVersion
	built.CreationTimestamp = stored.CreationTimestamp
	return r.send(ctx, built) // want `loss: other controllers lose their finalizers on the Service: a new one overwrites it \(resource version from line \d+\).*\(finalizerremoval/strips-foreign\)`
}

func (r *reconciler) send(ctx context.Context, service *corev1.Service) error {
	_, err := r.kube.CoreV1().Services(service.Namespace).Update(ctx, service, metav1.UpdateOptions{})
	return err
}

// balanced is what makes the finalizer of load balancers one to keep.
func balanced(s *corev1.Service, external bool) {
	s.Spec.Type = typeOf(external)
}

func typeOf(external bool) corev1.ServiceType {
	if external {
		return corev1.ServiceTypeLoadBalancer
	}
	return corev1.ServiceTypeClusterIP
}

func (r *reconciler) rebuiltBySetter(ctx context.Context, key client.ObjectKey) error {
	stored := &corev1.PersistentVolumeClaim{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	built := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: key.Name}}
	built.SetResourceVersion(stored.GetResourceVersion())
	return r.Update(ctx, built) // want `hygiene: .*\(finalizerremoval/strips-foreign\)`
}

// Others have finalizers on claims of volumes.
func (r *reconciler) replacedOnClaim(ctx context.Context, key client.ObjectKey) error {
	claim := &corev1.PersistentVolumeClaim{}
	if err := r.Get(ctx, key, claim); err != nil {
		return err
	}
	claim.Finalizers = []string{dataFinalizer} // want `loss: other controllers lose their finalizers on the PersistentVolumeClaim: the list is replaced`
	return r.Update(ctx, claim)
}
