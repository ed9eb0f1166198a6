// Package gcfinalizer leaves clean-up to Go's garbage collector, with the
// libraries of the time before generics.
package gcfinalizer

import (
	"context"
	"os"
	"runtime"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

type session struct {
	client client.Client
	core   kubernetes.Interface
	secret *corev1.Secret
	file   *os.File
}

func deletes(s *session) {
	runtime.SetFinalizer(s, func(s *session) { // want `gcfinalizer/cluster-resource`
		_ = s.client.Delete(context.Background(), s.secret)
	})
}

func deletesTyped(s *session) {
	runtime.SetFinalizer(s, func(s *session) { // want `gcfinalizer/cluster-resource`
		_ = s.core.CoreV1().Secrets(s.secret.Namespace).Delete(context.Background(), s.secret.Name, metav1.DeleteOptions{})
	})
}

func object(b *v1.Backup) {
	runtime.SetFinalizer(b, func(b *v1.Backup) { _ = os.Remove(b.Name) }) // want `gcfinalizer/api-object`
}

func closesAFile(s *session) {
	runtime.SetFinalizer(s, func(s *session) { s.file.Close() })
}

func takenOff(b *v1.Backup) {
	runtime.SetFinalizer(b, nil)
}
