// Package setup registers the versions of an API away from their packages.
package setup

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"

	v1 "github.com/opvet/opvet/testdata/schemeregister/apis/v1"
	"github.com/opvet/opvet/testdata/schemeregister/apis/v1alpha1"
	"github.com/opvet/opvet/testdata/schemeregister/apis/v1beta1"
)

// A line that was copied and half changed.
func addVersions(s *runtime.Scheme) {
	s.AddKnownTypes(v1beta1.GroupVersion, &v1beta1.Backup{})
	s.AddKnownTypes(v1alpha1.GroupVersion, &v1beta1.Backup{}) // want `loss: \*v1beta1\.Backup is registered as a kind of v1alpha1: its objects are decoded into the wrong struct and lose fields; register v1alpha1\.Backup \(schemeregister/other-version\)`
}

// The version is written out.
func addLiteral(s *runtime.Scheme) {
	s.AddKnownTypes(schema.GroupVersion{Group: "store.example.com", Version: "v1"}, &v1.Backup{})
	s.AddKnownTypes(schema.GroupVersion{Group: "store.example.com", Version: "v1"}, &v1beta1.Backup{}) // want `loss: \*v1beta1\.Backup is registered as a kind of v1: its objects are decoded into the wrong struct and lose fields; register the type of v1 \(schemeregister/other-version\)`
}

// The builder is a local one.
func build() (*runtime.Scheme, error) {
	b := &scheme.Builder{GroupVersion: v1alpha1.GroupVersion}
	b.Register(&v1alpha1.Backup{})
	b.Register(&v1beta1.Backup{}) // want `loss: \*v1beta1\.Backup is registered as a kind of v1alpha1: its objects are decoded into the wrong struct and lose fields; register v1alpha1\.Backup \(schemeregister/other-version\)`
	return b.Build()
}

// Which version it is says the caller.
func add(s *runtime.Scheme, version schema.GroupVersion) { s.AddKnownTypes(version, &v1.Backup{}) }
