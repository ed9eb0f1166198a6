// Package v2 has the types of v1 as they are.
package v2

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"

	v1 "github.com/opvet/opvet/testdata/schemeregister/apis/v1"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "store.example.com", Version: "v2"}
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}
)

// Backup has not changed since v1.
type Backup = v1.Backup

func init() { SchemeBuilder.Register(&Backup{}) }
