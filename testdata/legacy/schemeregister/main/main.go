// Command main sets up a scheme as the scaffolds of old kubebuilder versions do.
package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/legacy/schemeregister/apis/v1"
)

var scheme = runtime.NewScheme()

func init() {
	_ = clientgoscheme.AddToScheme(scheme) // want `hygiene: nobody reads the error of clientgoscheme\.AddToScheme: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
	utilruntime.Must(v1.AddToScheme(scheme))
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{Scheme: scheme})
	if err != nil {
		panic(err)
	}
	v1.SchemeBuilder.AddToScheme(mgr.GetScheme()) // want `hygiene: nobody reads the error of v1\.SchemeBuilder\.AddToScheme: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}
