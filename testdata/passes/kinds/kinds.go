// Package kinds has types that are API kinds or objects, and types that look
// like them. Each says what is known of it; one that says nothing is neither.
package kinds

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// want kind
// want object
// want status in Observed
type Renamed struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Wanted   string `json:"spec"`
	Observed string `json:"status,omitempty"`
}

// want kind
// want object
type WithoutStatus struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Data map[string]string `json:"data"`
	// Status is a name that only Go sees.
	Status string `json:"observed"`
}

// want kind
// want object
// want status in Status
type Generic[S any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status S `json:"status"`
}

// want kind
// want object
// want status in Status
type Redefined v1.Backup

// A second name for a kind is the kind.
//
// want kind
// want object
// want status in Status
type Alias = v1.Backup

// want kind
// want object
// want status in Status
type Builtin = corev1.Pod

// A scope wraps a kind and is none itself, though it has its methods.
//
// want object
type Scope struct{ *v1.Backup }

// want object
type Value struct{ corev1.Pod }

// A list is an object for clients, not a kind. It has no resource version of
// its own as objects have, but that of the list.
//
// want object
type List = v1.BackupList

// want object
type Untyped = unstructured.Unstructured

// want object
type Interface = client.Object

// want object
type RuntimeObject = runtime.Object

// want object
type Accessor = metav1.Object

// want object
type OwnInterface interface {
	client.Object
	SetPhase(string)
}

type NoMeta struct {
	metav1.TypeMeta `json:",inline"`
	Status          string `json:"status"`
}

type NamedFields struct {
	TypeMeta   metav1.TypeMeta   `json:",inline"`
	ObjectMeta metav1.ObjectMeta `json:"metadata,omitempty"`
	Status     string            `json:"status"`
}

type Status = v1.BackupStatus

type Meta = metav1.ObjectMeta

type Anything = any

type Named interface{ GetName() string }

type Request struct{ Name, Namespace string }

// want client
type Client = client.Client

// want client
type StatusWriter = client.SubResourceWriter

// want client
type Clientset = kubernetes.Interface

// An embedded client makes a client.
//
// want client
type Reconciler struct{ client.Client }

// want has client
type Field struct{ c client.Client }

// want has client
type Nested struct{ deps *Field }

// want client
type Typed = typedcorev1.PodInterface

// want client
type Dynamic = dynamic.Interface

// want client
type Manager = manager.Manager

type Reader = client.Reader

type Plain struct{ names []string }
