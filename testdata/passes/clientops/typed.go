package clientops

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// want Update main of pod on CoreV1().Pods(), result, kind Pod
// want Update status of pod on CoreV1().Pods(), result, kind Pod
func clientset(ctx context.Context, k kubernetes.Interface, pod *corev1.Pod) error {
	if _, err := k.CoreV1().Pods("ns").Update(ctx, pod, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err := k.CoreV1().Pods("ns").UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// want Create main of pod on pods, result, kind Pod
// want Get main of nil on pods, result, kind Pod
func getter(ctx context.Context, pods typedcorev1.PodInterface, pod *corev1.Pod) error {
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := pods.Get(ctx, "name", metav1.GetOptions{})
	return err
}

// want Update main of b on ExampleV1().Backups(), result, kind Backup
// want Update status of b on ExampleV1().Backups(), result, kind Backup
func generated(ctx context.Context, c client.Interface, b *v1.Backup) error {
	if _, err := c.ExampleV1().Backups("ns").Update(ctx, b, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err := c.ExampleV1().Backups("ns").UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return err
}

// want Patch main of nil on backups, result, kind Backup, name name, bytes data
// want Patch status of nil on backups, result, kind Backup, name name, bytes data
// want Patch other of nil on backups, result, kind Backup, name name, bytes data
// want Patch other of nil on backups, result, kind Backup, name name, bytes data
func patchByName(ctx context.Context, backups client.BackupInterface, name string, data []byte, more []string) {
	backups.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{})
	backups.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{}, "status")
	backups.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{}, "scale")
	backups.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{}, more...)
}

// want Apply main of config on pods, result, kind Pod
// want Apply status of config on pods, result, kind Pod
func applies(ctx context.Context, pods typedcorev1.PodInterface, config *corev1apply.PodApplyConfiguration) {
	pods.Apply(ctx, config, metav1.ApplyOptions{})
	pods.ApplyStatus(ctx, config, metav1.ApplyOptions{})
}

// want Update other of pod on pods, result, kind Pod
// want Update other of pod on pods, result, kind Pod
func otherSubresources(ctx context.Context, pods typedcorev1.PodInterface, pod *corev1.Pod) {
	pods.UpdateEphemeralContainers(ctx, "name", pod, metav1.UpdateOptions{})
	pods.UpdateResize(ctx, "name", pod, metav1.UpdateOptions{})
}

// want Update status of csr on CertificatesV1().CertificateSigningRequests(), result, kind CertificateSigningRequest
func approval(ctx context.Context, k kubernetes.Interface, csr *certificatesv1.CertificateSigningRequest) {
	k.CertificatesV1().CertificateSigningRequests().UpdateApproval(ctx, "name", csr, metav1.UpdateOptions{})
}

// want Update main of u on r, result
// want Update status of u on r, result
// want Update status of u on r, result
// want Update other of u on r, result
func dynamicUpdate(ctx context.Context, r dynamic.ResourceInterface, u *unstructured.Unstructured) {
	r.Update(ctx, u, metav1.UpdateOptions{})
	r.UpdateStatus(ctx, u, metav1.UpdateOptions{})
	r.Update(ctx, u, metav1.UpdateOptions{}, "status")
	r.Update(ctx, u, metav1.UpdateOptions{}, "scale")
}

// want Create main of u on r, result
// want Get main of nil on r, result
// want Patch status of nil on r, result, name name, bytes data
// want Apply main of u on r, result
// want Apply status of u on r, result
func dynamicOthers(ctx context.Context, r dynamic.ResourceInterface, u *unstructured.Unstructured, name string, data []byte) {
	r.Create(ctx, u, metav1.CreateOptions{})
	r.Get(ctx, name, metav1.GetOptions{})
	r.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{}, "status")
	r.Apply(ctx, name, u, metav1.ApplyOptions{})
	r.ApplyStatus(ctx, name, u, metav1.ApplyOptions{})
}

// own is a user's interface with the methods that the code needs.
type own interface {
	UpdateStatus(ctx context.Context, pod *corev1.Pod, opts metav1.UpdateOptions) (*corev1.Pod, error)
}

// want Update status of pod on o, result, kind Pod
func ownTyped(ctx context.Context, o own, pod *corev1.Pod) error {
	_, err := o.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// want Update main of pod on pods, result, kind Pod
func typedMethodValue(ctx context.Context, pods typedcorev1.PodInterface, pod *corev1.Pod) error {
	update := pods.Update
	_, err := update(ctx, pod, metav1.UpdateOptions{})
	return err
}

// store is a repository of a user's own: it makes objects, and has no options
// of the API server.
type store interface {
	Create(ctx context.Context, name string) (*v1.Backup, error)
	Update(ctx context.Context, b *v1.Backup) (*v1.Backup, error)
	UpdateStatus(ctx context.Context, b *v1.Backup, phase string) (*v1.Backup, error)
	Get(ctx context.Context, name string) (*v1.Backup, error)
	Patch(ctx context.Context, name string, data []byte) (*v1.Backup, error)
	Apply(ctx context.Context, b *v1.Backup) (*v1.Backup, error)
	Updated(b *v1.Backup) (bool, error)
}

func ownStore(ctx context.Context, s store, b *v1.Backup) {
	s.Create(ctx, "name")
	s.Update(ctx, b)
	s.UpdateStatus(ctx, b, "Ready")
	s.Get(ctx, "name")
	s.Patch(ctx, "name", nil)
	s.Apply(ctx, b)
	s.Updated(b)
}

// converter returns another kind than it takes.
type converter interface {
	Update(ctx context.Context, b *v1.Backup, opts metav1.UpdateOptions) (*v1.Cluster, error)
}

func otherKind(ctx context.Context, c converter, b *v1.Backup) {
	c.Update(ctx, b, metav1.UpdateOptions{})
}

// Deleting and listing through a clientset send no object.
func noObject(ctx context.Context, pods typedcorev1.PodInterface) {
	pods.Delete(ctx, "name", metav1.DeleteOptions{})
	pods.List(ctx, metav1.ListOptions{})
	pods.Watch(ctx, metav1.ListOptions{})
}
