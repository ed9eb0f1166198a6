package v1alpha1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is registered elsewhere.
var GroupVersion = schema.GroupVersion{Group: "store.example.com", Version: "v1alpha1"}
