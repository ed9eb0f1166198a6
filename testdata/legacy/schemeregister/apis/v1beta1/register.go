package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"

	v1 "github.com/opvet/opvet/testdata/legacy/schemeregister/apis/v1"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "store.example.com", Version: "v1beta1"}
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}
)

func init() {
	SchemeBuilder.Register(&v1.Backup{}) // want `loss: \*v1\.Backup is registered as a kind of v1beta1: its objects are decoded into the wrong struct and lose fields; register v1beta1\.Backup \(schemeregister/other-version\)`
}
