package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"

	v1 "github.com/opvet/opvet/testdata/schemeregister/apis/v1"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "store.example.com", Version: "v1beta1"}
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}
	AddToScheme   = SchemeBuilder.AddToScheme
)

func init() {
	SchemeBuilder.Register(&Backup{})
	SchemeBuilder.Register(&v1.Backup{}) // want `loss: \*v1\.Backup is registered as a kind of v1beta1: its objects are decoded into the wrong struct and lose fields; register v1beta1\.Backup \(schemeregister/other-version\)`
}

// The objects of the one before the types are there.
func addAll(s *runtime.Scheme) {
	s.AddKnownTypes(GroupVersion, &Backup{}, &v1.Backup{})                // want `loss: \*v1\.Backup is registered as a kind of v1beta1: its objects are decoded into the wrong struct and lose fields; register v1beta1\.Backup \(schemeregister/other-version\)`
	s.AddKnownTypeWithName(GroupVersion.WithKind("Backup"), &v1.Backup{}) // want `loss: \*v1\.Backup is registered as a kind of v1beta1: its objects are decoded into the wrong struct and lose fields; register v1beta1\.Backup \(schemeregister/other-version\)`
}

// A slice of objects is not looked into.
func addList(s *runtime.Scheme, objects []runtime.Object) { s.AddKnownTypes(GroupVersion, objects...) }
