package kubeapi

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// OrderUse is what a function makes of the order of a list that it is handed.
type OrderUse uint8

const (
	// NoOrderUse is anything else.
	NoOrderUse OrderUse = iota
	// Sorts puts the list into an order, or makes something of it that has none.
	Sorts
	// KeepsOrder returns something that is in the order of the list.
	KeepsOrder
	// Hashes makes a hash of it.
	Hashes
)

var (
	sorts      = newNameTable("sort.*", "slices.Sort*", "golang.org/x/exp/slices.Sort*", "k8s.io/apimachinery/pkg/util/sets.*")
	keepsOrder = newNameTable(
		"strings.*", "bytes.*", "(*strings.Builder).String", "(*bytes.Buffer).String", "(*bytes.Buffer).Bytes", "fmt.Sprint*", "fmt.Append*",
		"encoding/json.Marshal*", "gopkg.in/yaml.v2.Marshal", "gopkg.in/yaml.v3.Marshal", "sigs.k8s.io/yaml.Marshal",
		"slices.Concat", "slices.Clone", "slices.Compact",
	)
	hashes = newNameTable("crypto/*", "hash/*", "(*crypto/*", "(*hash/*")
)

// OrderUseOf tells what a function makes of the order of a list or text. A
// function without a body here that says in its name that it sorts is believed.
func OrderUseOf(fn *types.Func) OrderUse {
	switch {
	case fn == nil:
		return NoOrderUse
	case sorts.match(fn), strings.Contains(strings.ToLower(fn.Name()), "sort"):
		return Sorts
	case keepsOrder.match(fn):
		return KeepsOrder
	case hashes.match(fn), isHashMethod(fn, "Write"):
		return Hashes
	}
	return NoOrderUse
}

// SumsHash reports whether a function is the method by which a hash tells its sum: Sum, Sum32,
// Sum64.
func SumsHash(fn *types.Func) bool { return isHashMethod(fn, "Sum") }

// isHashMethod reports whether a function is a method of a hash that begins so.
func isHashMethod(fn *types.Func, verb string) bool {
	recv := fn.Signature().Recv()
	return recv != nil && IsHash(recv.Type()) && strings.HasPrefix(fn.Name(), verb)
}

// IsHash reports whether t is a hash, as package hash has them.
func IsHash(t types.Type) bool {
	return HasMethod(t, "Sum") && HasMethod(t, "BlockSize") && HasMethod(t, "Write")
}

// UnsortedList recognises the calls that return the keys or values of a map,
// or the elements of a set, as a list in no order.
func UnsortedList(common *ssa.CallCommon) bool {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch path := fn.Pkg().Path(); {
	case fn.Name() == "UnsortedList" && fn.Signature().Recv() != nil:
		return true
	case path == "github.com/samber/lo":
		return slices.Contains([]string{"Keys", "Values", "MapToSlice", "Entries", "ToPairs", "UniqKeys", "UniqValues"}, fn.Name())
	case path == "golang.org/x/exp/maps":
		if fn.Name() != "Keys" && fn.Name() != "Values" {
			return false // Clear and Copy return nothing
		}
		_, slice := fn.Signature().Results().At(0).Type().Underlying().(*types.Slice)
		return slice
	case path == "slices" && fn.Name() == "Collect" && len(common.Args) == 1:
		seq, ok := common.Args[0].(*ssa.Call)
		if !ok {
			return false
		}
		from := Callee(seq.Common())
		return IsFunc(from, "maps", "Keys") || IsFunc(from, "maps", "Values")
	}
	return false
}

// WriterOf returns the builder, buffer or hash that a call writes to, or nil.
func WriterOf(common *ssa.CallCommon) ssa.Value {
	fn := Callee(common)
	if fn == nil {
		return nil
	}
	recv, args := Args(common)
	var writer ssa.Value
	switch {
	case recv != nil && strings.HasPrefix(fn.Name(), "Write"):
		writer = recv
	case recv == nil && fn.Pkg() != nil && fn.Pkg().Path() == "fmt" && strings.HasPrefix(fn.Name(), "Fprint") && len(args) > 0:
		writer = args[0]
	default:
		return nil
	}
	inner := stripInterfaces(writer)
	if IsHash(writer.Type()) || IsHash(inner.Type()) || IsNamed(inner.Type(), "strings", "Builder") || IsNamed(inner.Type(), "bytes", "Buffer") {
		return inner
	}
	return nil
}

// IsAPIStruct reports whether t is, or points to, a struct of an API: one of
// Kubernetes' own packages of types, or one that is copied in depth as they are
// and has names for JSON.
func IsAPIStruct(t types.Type) bool {
	named := Named(t)
	if named == nil || named.Obj().Pkg() == nil {
		return false
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok || s.NumFields() == 0 {
		return false
	}
	return HasMethod(types.NewPointer(named), "DeepCopyInto") && (jsonName(s, 0) != "" || strings.Contains(s.Tag(0), "json:"))
}

// SetsApplied returns the field that a method of an apply configuration sets, as in
// Container.Env: such a configuration is there to be applied, again and again.
func SetsApplied(fn *types.Func) (field string, ok bool) {
	if fn == nil || fn.Signature().Recv() == nil {
		return "", false
	}
	named := Named(fn.Signature().Recv().Type())
	name, with := strings.CutPrefix(fn.Name(), "With")
	if named == nil || !with || fn.Pkg() == nil || !strings.Contains(fn.Pkg().Path()+"/", "/applyconfigurations/") {
		return "", false
	}
	kind, ok := strings.CutSuffix(named.Obj().Name(), "ApplyConfiguration")
	return kind + "." + name, ok
}

// IsAppliedStatus reports whether t is the apply configuration of a status or of a condition.
func IsAppliedStatus(t types.Type) bool {
	named := Named(t)
	return named != nil && (strings.HasSuffix(named.Obj().Name(), "StatusApplyConfiguration") || strings.HasSuffix(named.Obj().Name(), "ConditionApplyConfiguration"))
}

// IsRecordedEvent reports whether t is, or points to, an Event that a recorder writes.
func IsRecordedEvent(t types.Type) bool {
	return IsNamed(t, "k8s.io/api/core/v1", "Event") || IsNamed(t, "k8s.io/api/events/v1", "Event")
}

// IsAnswer reports whether t is, or points to, what a webhook or the API server
// answers, and nobody stores.
func IsAnswer(t types.Type) bool {
	return IsNamed(t, metav1Path, "Status") || IsNamed(t, "k8s.io/api/admission/v1", "AdmissionResponse") || IsNamed(t, "k8s.io/api/admission/v1beta1", "AdmissionResponse")
}
