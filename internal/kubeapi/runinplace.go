package kubeapi

import (
	"go/types"
	"strings"
)

// inPlacePackages are packages whose functions and methods call the functions
// that they are given before they return, with the exceptions in retains.
var inPlacePackages = map[string]bool{
	"slices": true, "sort": true, "maps": true, "strings": true, "bytes": true,
	"path/filepath": true, "io/fs": true,
	"k8s.io/client-go/util/retry":                                  true,
	"k8s.io/apimachinery/pkg/util/wait":                            true,
	"k8s.io/apimachinery/pkg/api/meta":                             true,
	"github.com/avast/retry-go":                                    true,
	"github.com/cenkalti/backoff":                                  true,
	"github.com/sethvargo/go-retry":                                true,
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil": true,
}

// retains are functions of those packages that start their callback instead.
var retains = map[string]bool{
	"(*k8s.io/apimachinery/pkg/util/wait.Group).Start":            true,
	"(*k8s.io/apimachinery/pkg/util/wait.Group).StartWithChannel": true,
	"(*k8s.io/apimachinery/pkg/util/wait.Group).StartWithContext": true,
}

var inPlaceFuncs = map[string]bool{
	"(*sync.Once).Do":   true,
	"(*sync.Map).Range": true,
	"k8s.io/apimachinery/pkg/util/errors.FilterOut": true,
	"k8s.io/client-go/tools/pager.EachListItem":     true,
}

// RunsInPlace reports whether fn calls its param-th parameter (the receiver
// not counted), a function, before it returns.
func RunsInPlace(fn *types.Func, param int) bool {
	params := fn.Signature().Params()
	if param >= params.Len() || fn.Pkg() == nil {
		return false
	}
	if _, ok := params.At(param).Type().Underlying().(*types.Signature); !ok {
		return false
	}
	name := fn.FullName()
	return inPlaceFuncs[name] || inPlacePackages[unversioned(fn.Pkg().Path())] && !retains[name]
}

// unversioned strips a major version suffix from a package path.
func unversioned(path string) string {
	i := strings.LastIndex(path, "/v")
	if i < 0 || strings.Trim(path[i+2:], "0123456789") != "" || i+2 == len(path) {
		return path
	}
	return path[:i]
}
