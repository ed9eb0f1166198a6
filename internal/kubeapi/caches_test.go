package kubeapi

import (
	"go/types"
	"testing"
)

// TestSelectsByObject tells releases apart by what the cache's package declares.
func TestSelectsByObject(t *testing.T) {
	options := func(declared ...string) types.Type {
		pkg := types.NewPackage(runtimeCache, "cache")
		for _, name := range append(declared, "NewCacheFunc") {
			obj := types.NewTypeName(0, pkg, name, nil)
			types.NewNamed(obj, types.NewStruct(nil, nil), nil)
			pkg.Scope().Insert(obj)
		}
		field := types.NewField(0, pkg, "NewCache", pkg.Scope().Lookup("NewCacheFunc").Type(), false)
		return types.NewStruct([]*types.Var{field}, nil)
	}
	if SelectsByObject(options()) {
		t.Error("a release without SelectorsByObject has it")
	}
	if !SelectsByObject(options("SelectorsByObject")) {
		t.Error("a release with SelectorsByObject lacks it")
	}
}
