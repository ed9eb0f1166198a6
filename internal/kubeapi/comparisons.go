package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// ComparisonKind is how values are compared in depth.
type ComparisonKind uint8

const (
	// NoComparison is the zero value.
	NoComparison ComparisonKind = iota
	// LiterallyEqual tells any two representations apart: reflect.DeepEqual.
	LiterallyEqual
	// SemanticallyEqual knows quantities and times, and takes nil for empty.
	SemanticallyEqual
	// Derivative passes over what the first value leaves out.
	Derivative
)

// Comparison is a call that compares two values in depth.
type Comparison struct {
	Kind ComparisonKind
	Name string // as users know the function
	X, Y ssa.Value
}

const equalities1 = "k8s.io/apimachinery/third_party/forked/golang/reflect.Equalities)."

// ComparisonOf recognises reflect.DeepEqual, cmp.Equal without options, and the
// methods of equality.Semantic.
func ComparisonOf(common *ssa.CallCommon) Comparison {
	fn := Callee(common)
	if fn == nil {
		return Comparison{}
	}
	_, args := Args(common)
	if len(args) < 2 {
		return Comparison{}
	}
	c := Comparison{X: args[0], Y: args[1]}
	_, method, ofEqualities := strings.Cut(FullName(fn), equalities1)
	switch {
	case IsFunc(fn, "reflect", "DeepEqual"):
		c.Kind, c.Name = LiterallyEqual, "reflect.DeepEqual"
	case IsFunc(fn, "github.com/google/go-cmp/cmp", "Equal"):
		if options, ok := VariadicArgs(args[len(args)-1]); ok && len(options) == 0 {
			// cmp asks the types' own methods Equal, which quantities have.
			c.Kind, c.Name = SemanticallyEqual, "cmp.Equal"
		}
	case ofEqualities && method == "DeepEqual":
		c.Kind, c.Name = SemanticallyEqual, "DeepEqual"
	case ofEqualities && method == "DeepDerivative":
		c.Kind, c.Name = Derivative, "DeepDerivative"
	}
	return c
}

// ComparedInOrder returns what a call compares element by element: as [ComparisonOf], or
// as slices.Equal, bytes.Equal, cmp.Diff, and cmp.Equal whatever the options.
func ComparedInOrder(common *ssa.CallCommon) (x, y ssa.Value, ok bool) {
	if c := ComparisonOf(common); c.Kind != NoComparison {
		return c.X, c.Y, true
	}
	fn := Callee(common)
	if !ordered.match(fn) {
		return nil, nil, false
	}
	_, args := Args(common)
	return args[0], args[1], true
}

var ordered = newNameTable("slices.Equal", "bytes.Equal", "github.com/google/go-cmp/cmp.Equal", "github.com/google/go-cmp/cmp.Diff")

// IsQuantity reports whether t is resource.Quantity or a pointer to it.
func IsQuantity(t types.Type) bool {
	return IsNamed(t, "k8s.io/apimachinery/pkg/api/resource", "Quantity")
}

// ParsesQuantity reports whether a function is resource.MustParse.
func ParsesQuantity(fn *types.Func) bool {
	return fn != nil && FullName(fn) == "k8s.io/apimachinery/pkg/api/resource.MustParse"
}

// IsSource reports whether t is one of the unions that say where a volume or an
// environment variable comes from. A few of their members have a quantity.
func IsSource(t types.Type) bool {
	return IsNamed(t, corev1Path, "VolumeSource", "EnvVarSource")
}

// IsPodSpec reports whether t is the specification of a pod, or a pointer to it.
func IsPodSpec(t types.Type) bool { return IsNamed(t, corev1Path, "PodSpec") }

// IsPodPart reports whether t is, or points to, one of the structs that a pod's specification
// is made of and that users write parts of.
func IsPodPart(t types.Type) bool {
	return IsNamed(t, corev1Path, podParts...)
}

var podParts = []string{
	"Container", "EnvVar", "EnvFromSource", "ContainerPort", "ResourceRequirements", "Volume", "VolumeMount", "Toleration",
	"TopologySpreadConstraint", "HostAlias", "LocalObjectReference",
}

// IsAPITime reports whether t is one of metav1's times or a pointer to one.
func IsAPITime(t types.Type) bool {
	return IsNamed(t, metav1Path, "Time", "MicroTime")
}

// IsOfKubernetes reports whether t is, or points to, a type of Kubernetes' API
// packages, an API kind, or a part of one that copies itself in depth.
func IsOfKubernetes(t types.Type) bool {
	return KindOf(t) != nil || HasMethod(types.NewPointer(Deref(t)), "DeepCopyInto")
}
