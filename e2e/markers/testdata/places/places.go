// Package places has markers in all places.
//
// +kubebuilder:rbac:groups="",resources=packagedoc,verbs=get
package places

// +kubebuilder:rbac:groups="",resources=beforeimport,verbs=get

import (
	// +kubebuilder:rbac:groups="",resources=inimport,verbs=get
	_ "fmt" // +kubebuilder:rbac:groups="",resources=behindimport,verbs=get
)

// +kubebuilder:rbac:groups="",resources=free,verbs=get

// Doc is documented.
// +kubebuilder:rbac:groups="",resources=typedoc,verbs=get
type Doc struct {
	// +kubebuilder:rbac:groups="",resources=fielddoc,verbs=get
	Field int // +kubebuilder:rbac:groups="",resources=behindfield,verbs=get

	// +kubebuilder:rbac:groups="",resources=freeinstruct,verbs=get

	Other int
}

// +kubebuilder:rbac:groups="",resources=beforetype,verbs=get

// Before is documented.
type Before struct{}

// +kubebuilder:rbac:groups="",resources=farabove,verbs=get

// Something else.

// +kubebuilder:rbac:groups="",resources=closest,verbs=get

// Two is documented.
type Two int

type (
	// +kubebuilder:rbac:groups="",resources=ingroupdoc,verbs=get
	A int

	// +kubebuilder:rbac:groups="",resources=ingroupfree,verbs=get

	// B is documented.
	B int
)

// +kubebuilder:rbac:groups="",resources=constdoc,verbs=get
const one = 1

const (
	// +kubebuilder:rbac:groups="",resources=inconstdoc,verbs=get
	two = 2

	// +kubebuilder:rbac:groups="",resources=inconstfree,verbs=get

	three = 3 // +kubebuilder:rbac:groups="",resources=behindconst,verbs=get
)

// +kubebuilder:rbac:groups="",resources=funcdoc,verbs=get
func f() {
	// +kubebuilder:rbac:groups="",resources=body,verbs=get
	_ = one

	// +kubebuilder:rbac:groups="",resources=bodyfree,verbs=get
}

/*
+kubebuilder:rbac:groups="",resources=block,verbs=get
*/

// see +kubebuilder:rbac:groups="",resources=inline,verbs=get

//+kubebuilder:rbac:groups=core,resources=core,verbs=get
//	+kubebuilder:rbac:groups=apps;"batch",resources={a,b},verbs={"get",list}
// +kubebuilder:rbac:groups=apps,resources=spaces,verbs=get; list; watch
// +kubebuilder:rbac:groups=apps,resources="quoted;list",verbs=get
// +kubebuilder:rbac:groups="",resources=pods/log;*/scale,verbs=get,resourceNames=x;y
// +kubebuilder:rbac:urls=/metrics;/healthz,verbs=get
// +kubebuilder:rbac:groups="",resources=ns,verbs=get,namespace=system
// +kubebuilder:rbac:groups="",resources=named,verbs=*,roleName=other
// +kubebuilder:rbac:groups=*,resources=*,verbs=*
// +kubebuilder:rbac:groups=a.b-c.io,resources=with-dash,verbs=get

// g is documented.
func g() {}

// +kubebuilder:rbac:groups="",resources=last,verbs=get
