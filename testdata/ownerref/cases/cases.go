// Package cases makes objects owners of others.
package cases

import (
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const certManager = "cert-manager"

// configured is set by a flag.
var configured = "cert-manager"

type reconciler struct {
	client.Client
	scheme    *runtime.Scheme
	namespace string
}

func ownNamespace() string { return os.Getenv("POD_NAMESPACE") }
