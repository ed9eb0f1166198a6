package kubeapi

import (
	"go/types"
	"slices"
	"strings"
)

// inPlace lists functions that call the functions handed to them before they
// return, and in the caller's goroutine. An entry that ends in "*" stands for
// all functions of a package whose names begin so; methods are written as
// types.Func.FullName has them.
var inPlace = newNameTable(
	// The standard library.
	"slices.*", "sort.*", "maps.*", "strings.*", "bytes.*", "path/filepath.Walk*", "io/fs.WalkDir",
	"(*sync.Once).Do", "(*sync.Map).Range", "runtime/pprof.Do", "go/ast.Inspect", "testing/synctest.Test",
	// Kubernetes.
	"k8s.io/client-go/util/retry.*",
	"k8s.io/apimachinery/pkg/util/wait.Poll*", "k8s.io/apimachinery/pkg/util/wait.ExponentialBackoff*",
	"k8s.io/apimachinery/pkg/util/wait.Until*", "k8s.io/apimachinery/pkg/util/wait.JitterUntil*",
	"k8s.io/apimachinery/pkg/util/wait.NonSlidingUntil*", "k8s.io/apimachinery/pkg/util/wait.Forever",
	"k8s.io/apimachinery/pkg/util/wait.BackoffUntil*", "k8s.io/apimachinery/pkg/util/wait.WaitFor*",
	"k8s.io/apimachinery/pkg/api/meta.EachListItem*",
	"k8s.io/client-go/tools/cache.ListAll*",
	"(*k8s.io/client-go/tools/pager.ListPager).EachListItem*",
	"(k8s.io/cli-runtime/pkg/resource.Visitor).Visit", "(*k8s.io/cli-runtime/pkg/resource.Result).Visit",
	"k8s.io/client-go/util/workqueue.ParallelizeUntil",
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.CreateOr*",
	"knative.dev/pkg/reconciler.Retry*",
	// Helpers that operators use much.
	"github.com/samber/lo.*", "golang.org/x/exp/slices.*", "golang.org/x/exp/maps.*",
	"(*golang.org/x/sync/singleflight.Group).Do",
	"github.com/cenkalti/backoff.Retry*", "github.com/avast/retry-go.Do*", "github.com/sethvargo/go-retry.*",
	"(*go.etcd.io/bbolt.DB).Update", "(*go.etcd.io/bbolt.DB).View", "(*go.etcd.io/bbolt.Bucket).ForEach",
)

// RunsInPlace reports whether callee calls the function that it gets as its
// index-th argument (the receiver not counted) before it returns, so that the
// call stands for the function's body.
func RunsInPlace(callee *types.Func, index int) bool {
	if callee == nil || !takesFunc(callee.Signature(), index) {
		return false
	}
	if inPlace.match(callee) {
		return true
	}
	return createOrUpdateShaped(callee)
}

// createOrUpdateShaped recognises the many copies of CreateOrUpdate: a client,
// an object and a parameterless mutate function come in, and an error comes
// out.
func createOrUpdateShaped(fn *types.Func) bool {
	sig := fn.Signature()
	if !strings.HasPrefix(fn.Name(), "CreateOr") && !strings.HasPrefix(fn.Name(), "createOr") {
		return false
	}
	var object, mutate bool
	for param := range sig.Params().Variables() {
		object = object || IsObject(param.Type())
		if f, ok := param.Type().Underlying().(*types.Signature); ok {
			mutate = mutate || f.Results().Len() == 1 && IsError(f.Results().At(0).Type())
		}
	}
	return object && mutate && CanFail(sig)
}

// takesFunc reports whether the index-th parameter has function type.
func takesFunc(sig *types.Signature, index int) bool { return paramAt(sig, index) != nil }

// nameTable matches functions by their full names.
type nameTable struct {
	exact  map[string]bool
	prefix []string
	// Most functions that are asked about are in no table, and putting full
	// names together takes long: names has the last parts of exact, origins
	// the first elements of the paths in prefix.
	names, origins map[string]bool
}

func newNameTable(names ...string) nameTable {
	table := nameTable{exact: make(map[string]bool), names: make(map[string]bool), origins: make(map[string]bool)}
	for _, name := range names {
		if p, ok := strings.CutSuffix(name, "*"); ok {
			table.prefix = append(table.prefix, p)
			table.origins[firstElement(strings.TrimLeft(p, "(*"))] = true
		} else {
			table.exact[name] = true
			table.names[lastPart(name)] = true
		}
	}
	return table
}

// lastPart returns what a function's full name ends with: its name.
func lastPart(full string) string { return full[strings.LastIndexByte(full, '.')+1:] }

// firstElement returns the first element of a path or of a full name.
func firstElement(path string) string {
	if first, _, ok := strings.Cut(path, "/"); ok {
		return first
	}
	first, _, _ := strings.Cut(path, ".")
	return first
}

// match reports whether the table has fn. Major-version suffixes of module
// paths ("/v4") are not told apart.
func (t nameTable) match(fn *types.Func) bool {
	if fn == nil || !t.names[fn.Name()] && (fn.Pkg() == nil || !t.origins[firstElement(fn.Pkg().Path())]) {
		return false
	}
	full := FullName(fn.Origin())
	if t.matchName(full) {
		return true
	}
	if short := withoutMajor(full); short != full {
		return t.matchName(short)
	}
	return false
}

func (t nameTable) matchName(full string) bool {
	if t.exact[full] {
		return true
	}
	return slices.ContainsFunc(t.prefix, func(p string) bool { return strings.HasPrefix(full, p) })
}

// withoutMajor drops a "/v2" path element before the package's dot or slash.
func withoutMajor(full string) string {
	for i := 0; i+2 < len(full); i++ {
		if full[i] != '/' || full[i+1] != 'v' {
			continue
		}
		j := i + 2
		for j < len(full) && '0' <= full[j] && full[j] <= '9' {
			j++
		}
		if j > i+2 && j < len(full) && (full[j] == '.' || full[j] == '/') {
			return full[:i] + full[j:]
		}
	}
	return full
}
