package owners

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// OriginKind tells where a namespace comes from.
type OriginKind uint8

const (
	// Unknown is all that is known.
	Unknown OriginKind = iota
	// Constant is a constant, perhaps the empty string.
	Constant
	// Variable is a variable of a package: the operator's configuration.
	Variable
	// Own is the namespace of an object.
	Own
	// Spec is a field in the spec of an object: what a user wrote there.
	Spec
	// Listed is the name of a Namespace object.
	Listed
	// FromParameter is a parameter of the function, or a field of it.
	FromParameter
)

// Origin is where a namespace comes from.
type Origin struct {
	Kind OriginKind
	// Text is the constant, or the name of the variable or of the field.
	Text string
	// Object is whose namespace or spec it is.
	Object paths.Object
	Param  *ssa.Parameter
	Path   string
}

// ChildNamespaces returns where the namespace of a link's child comes from, as
// far as the link's function tells: what is assigned, or else the key by which
// it is read. Nil is not known.
func (i *References) ChildNamespaces(l Link) []Origin {
	fn := l.Instr.Parent()
	if found := i.assigned(fn, l); len(found) > 0 {
		return found
	}
	if found := i.made(l.Child); len(found) > 0 {
		return found
	}
	return i.readFrom(fn, l.Child)
}

// made returns the namespaces that a function puts an object in which it makes
// and returns.
func (i *References) made(p Party) []Origin {
	call, index := resultOf(p)
	if call == nil {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	var found []Origin
	for _, f := range i.sums.At(call) {
		for _, place := range f.Places {
			if place.Result != index {
				continue
			}
			origin := Origin{Kind: place.Kind, Text: place.Text}
			if place.Param < len(operands) {
				switch place.Kind {
				case Own, Spec:
					origin.Object = i.partyOf(operands[place.Param]).Object
				case FromParameter:
					found = append(found, i.namespacesOf(operands[place.Param], 0)...)
					continue
				}
			}
			found = append(found, origin)
		}
	}
	return found
}

// resultOf returns the call that an object is a result of, or nil.
func resultOf(p Party) (call *ssa.Call, index int) {
	if p.Object.Path != "" {
		return nil, 0
	}
	return calls.CallOf(p.Object.Root)
}

// OwnerNamespaces returns where the owner was looked up.
func (i *References) OwnerNamespaces(l Link) []Origin { return i.readFrom(l.Instr.Parent(), l.Owner) }

// assigned returns the namespaces that a function assigns to a child.
func (i *References) assigned(fn *ssa.Function, l Link) []Origin {
	metas := i.metasOf(fn, l)
	var found []Origin
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			addr, ok := instr.Addr.(*ssa.FieldAddr)
			if ok && IsNamespace(addr) && (slices.Contains(metas, addr.X) || i.isMetaOf(addr.X, l.Child.Object)) {
				found = append(found, i.namespacesOf(instr.Val, 0)...)
			}
		case *ssa.Call:
			recv, args := kubeapi.Args(instr.Common())
			if kubeapi.IsMetaSetter(kubeapi.Callee(instr.Common()), "SetNamespace") && recv != nil && len(args) == 1 && i.partyOf(recv).Object == l.Child.Object {
				found = append(found, i.namespacesOf(args[0], 0)...)
			}
		}
	}
	return found
}

// IsNamespace reports whether an address is that of the namespace in metadata.
func IsNamespace(addr *ssa.FieldAddr) bool {
	return kubeapi.IsObjectMeta(addr.X.Type()) && calls.FieldName(addr) == "Namespace"
}

// metasOf returns the variables whose metadata a child gets as a whole: those
// of composite literals, and those that a helper's result is kept in.
func (i *References) metasOf(fn *ssa.Function, l Link) []ssa.Value {
	var found []ssa.Value
	for store := range blocks.InstrsOf[*ssa.Store](fn) {
		if !kubeapi.IsObjectMeta(store.Val.Type()) || !i.isMetaOf(store.Addr, l.Child.Object) {
			continue
		}
		if load, ok := store.Val.(*ssa.UnOp); ok {
			found = append(found, load.X)
		}
	}
	return found
}

// isMetaOf reports whether v is the address of an object's own metadata.
func (i *References) isMetaOf(v ssa.Value, o paths.Object) bool {
	place := i.Summaries.Resolve.Place(v)
	return place.Object == o && len(place.Sub) == 1 && place.Sub[0] == kubeapi.MetadataPath
}

// readFrom returns where the namespace comes from that an object is read in.
func (i *References) readFrom(fn *ssa.Function, p Party) []Origin {
	if call, index := resultOf(p); call != nil {
		return i.lookedUp(call, index)
	}
	if _, ok := p.Object.Root.(*ssa.Alloc); !ok {
		return nil
	}
	var found []Origin
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		op, ok := i.Summaries.ClientOp(call.Common())
		if !ok || op.Verb != kubeapi.Get || op.Object == nil || i.Summaries.Resolve.Place(op.Object).Object != p.Object {
			continue
		}
		_, args := kubeapi.Args(call.Common())
		if len(args) >= 2 {
			found = append(found, i.namespacesOfKey(args[1])...)
		}
	}
	return found
}

// lookedUp is an object that a helper reads.
func (i *References) lookedUp(call *ssa.Call, index int) []Origin {
	operands := kubeapi.Operands(call.Common())
	var found []Origin
	for _, f := range i.sums.At(call) {
		for _, c := range f.Lookups {
			if c.Result == index && c.Param < len(operands) {
				found = append(found, i.namespacesOf(operands[c.Param], 0)...)
			}
		}
	}
	return found
}

// namespacesOfKey is a types.NamespacedName that is put together in place.
func (i *References) namespacesOfKey(key ssa.Value) []Origin {
	load, ok := key.(*ssa.UnOp)
	if !ok {
		return nil
	}
	alloc, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var found []Origin
	for _, ref := range *alloc.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			return nil // assigned as a whole
		case *ssa.FieldAddr:
			if calls.FieldName(ref) != "Namespace" {
				continue
			}
			for _, v := range calls.StoredInto(ref) {
				found = append(found, i.namespacesOf(v, 0)...)
			}
		}
	}
	return found
}

// namespacesOf returns where a string, a namespace, may come from.
func (i *References) namespacesOf(v ssa.Value, depth int) []Origin {
	unknown := []Origin{{}}
	if depth > maxTrace {
		return unknown
	}
	if text, ok := kubeapi.ConstString(v); ok {
		return []Origin{{Kind: Constant, Text: text}}
	}
	if call, index := calls.CallOf(v); call != nil {
		return i.namespacesOfResult(call, index, depth)
	}
	same := values.Relation{Steps: values.Converted | values.Merged}
	if from, _ := same.Sources(v); len(from) > 0 {
		var found []Origin
		for _, edge := range from {
			if edge != v {
				found = append(found, i.namespacesOf(edge, depth+len(from))...)
			}
		}
		return found
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return []Origin{{Kind: FromParameter, Param: v}}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return i.namespaceAt(v, depth)
		}
	case *ssa.Field:
		return i.namespaceIn(i.Summaries.Resolve.Place(v))
	}
	return unknown
}

// namespaceAt is a string that is read from memory.
func (i *References) namespaceAt(load *ssa.UnOp, depth int) []Origin {
	switch addr := load.X.(type) {
	case *ssa.Global:
		return []Origin{{Kind: Variable, Text: addr.Name()}}
	case *ssa.Alloc:
		if stored := calls.StoredInto(addr); len(stored) == 1 {
			return i.namespacesOf(stored[0], depth+1)
		}
		return []Origin{{}}
	}
	return i.namespaceIn(i.Summaries.Resolve.Place(load))
}

// namespaceIn is a namespace that is a field of something.
func (i *References) namespaceIn(place paths.Place) []Origin {
	if place.Kind != nil && len(place.Sub) > 1 {
		last := place.Sub[len(place.Sub)-1]
		if last == "[]" {
			last = strings.TrimSuffix(place.Sub[len(place.Sub)-2], "s") // one of a list
		}
		switch {
		case place.Sub[0] == kubeapi.MetadataPath && last == "Name" && kubeapi.IsNamed(place.Kind, "k8s.io/api/core/v1", "Namespace"):
			return []Origin{{Kind: Listed}}
		case place.Sub[0] == kubeapi.MetadataPath && last == "Namespace":
			return []Origin{{Kind: Own, Object: place.Object}}
		case place.Sub[0] == "Spec" && strings.HasSuffix(last, "Namespace"):
			return []Origin{{Kind: Spec, Object: place.Object, Text: "spec." + strings.TrimSuffix(strings.Join(place.Sub[1:], "."), ".[]")}}
		}
		return []Origin{{}}
	}
	if place.Kind == nil && strings.HasSuffix(place.Object.Path, "Namespace") {
		if param := parameterOf(place.Object.Root); param != nil {
			return []Origin{{Kind: FromParameter, Param: param, Path: strings.TrimPrefix(place.Object.Path, ".")}}
		}
	}
	return []Origin{{}}
}

// parameterOf returns the parameter that a value is, also one that is passed
// by value.
func parameterOf(v ssa.Value) *ssa.Parameter {
	if alloc, ok := v.(*ssa.Alloc); ok {
		if stored := calls.StoredInto(alloc); len(stored) == 1 {
			v = stored[0]
		}
	}
	param, _ := v.(*ssa.Parameter)
	return param
}

// namespacesOfResult is a string that a call returns.
func (i *References) namespacesOfResult(call *ssa.Call, index, depth int) []Origin {
	common := call.Common()
	if kubeapi.IsNamespaceGetter(kubeapi.Callee(common)) {
		if recv, _ := kubeapi.Args(common); recv != nil {
			return []Origin{{Kind: Own, Object: i.partyOf(recv).Object}}
		}
	}
	operands := kubeapi.Operands(common)
	var found []Origin
	for _, f := range i.sums.At(call) {
		for _, p := range f.Namespaces {
			if p.Result != index || p.Param >= len(operands) {
				continue
			}
			if p.Path == "" {
				found = append(found, i.namespacesOf(operands[p.Param], depth+1)...)
				continue
			}
			place := i.Summaries.Resolve.Place(operands[p.Param])
			place = i.Summaries.Resolve.Descend(place, operands[p.Param].Type(), strings.Split(p.Path, "."))
			found = append(found, i.namespaceIn(place)...)
		}
	}
	if len(found) == 0 {
		return []Origin{{}}
	}
	return found
}

// MindsNamespaces reports whether the function of a link, or all that lead to it, compare
// namespaces.
func (i *References) MindsNamespaces(l Link) bool {
	return i.Summaries.Calls.Everywhere(l.Instr, func(at *calls.Site) bool { return i.ComparesNamespaces(at.Parent()) })
}

// ComparesNamespaces reports whether a function compares the namespace of an
// object with something other than the empty string: it minds the difference.
func (i *References) ComparesNamespaces(fn *ssa.Function) bool {
	isNamespace := func(v ssa.Value) bool {
		return kubeapi.IsString(v.Type()) && slices.ContainsFunc(i.namespacesOf(v, 0), func(o Origin) bool { return o.Kind == Own })
	}
	isEmpty := func(v ssa.Value) bool {
		text, ok := kubeapi.ConstString(v)
		return ok && text == ""
	}
	return blocks.Any(fn, func(op *ssa.BinOp) bool {
		return (op.Op == token.EQL || op.Op == token.NEQ) && !isEmpty(op.X) && !isEmpty(op.Y) && (isNamespace(op.X) || isNamespace(op.Y))
	})
}
