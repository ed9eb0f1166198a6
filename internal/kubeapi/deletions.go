package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Deletion is a call of a Kubernetes client that deletes.
type Deletion struct {
	// Object is what is deleted; nil if it is told by its name.
	Object ssa.Value
	// Many tells that a selection of objects is deleted: that there is none
	// is no error.
	Many bool
}

// DeletionOf recognises the calls of Kubernetes clients that delete objects:
//
//	Delete(ctx, client.Object, ...DeleteOption) error
//	DeleteAllOf(ctx, client.Object, ...DeleteAllOfOption) error
//	Delete(ctx, name, metav1.DeleteOptions[, subresources…]) error
//	Delete(namespace, name, *metav1.DeleteOptions) error
//	DeleteCollection(ctx, metav1.DeleteOptions, metav1.ListOptions) error
//
// and the older forms of typed clients without a context. The third is that of the
// clients which wrangler generates.
func DeletionOf(common *ssa.CallCommon) (Deletion, bool) {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil {
		return Deletion{}, false
	}
	_, args := Args(common)
	params, results := fn.Signature().Params(), fn.Signature().Results()
	if results.Len() != 1 || !IsError(results.At(0).Type()) || params.Len() == 0 || len(args) != params.Len() {
		return Deletion{}, false
	}
	first := 0
	if IsContext(params.At(0).Type()) {
		first = 1
	}
	switch fn.Name() {
	case "Delete":
		switch {
		case params.Len() > first && first == 1 && IsObject(params.At(first).Type()):
			return Deletion{Object: args[first]}, true
		case params.Len() > first+1 && isString(params.At(first).Type()) && IsDeleteOptions(params.At(first+1).Type()):
			return Deletion{}, true
		case params.Len() == 3 && first == 0 && isString(params.At(0).Type()) && isString(params.At(1).Type()) && IsDeleteOptions(params.At(2).Type()):
			return Deletion{}, true
		}
	case "DeleteAllOf":
		if params.Len() > 1 && first == 1 && IsObject(params.At(1).Type()) {
			return Deletion{Object: args[1], Many: true}, true
		}
	case "DeleteCollection":
		if params.Len() > first && IsDeleteOptions(params.At(first).Type()) {
			return Deletion{Many: true}, true
		}
	}
	return Deletion{}, false
}

// CleansUp reports whether fn, a function that can fail, is meant to take away
// something that outlives the process: the verb that its name begins with
// says so, and it is neither of the standard library nor a helper for objects
// in memory.
func CleansUp(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || IsStandard(fn.Pkg()) && !startsWithContext(fn) || startsWith(fn.Pkg().Path(), inProcess) {
		return false
	}
	return CanFail(fn.Signature()) && IsCleaningName(fn.Name())
}

// inProcess are libraries whose functions take away what ends with the
// process, such as informers; their clients are [DeletionOf]'s.
var inProcess = []string{"k8s.io/apimachinery/", "k8s.io/client-go/", "sigs.k8s.io/controller-runtime/"}

// IsStandard reports whether a package is one of the standard library. That a path has no dot does
// not say so: modules that nobody imports are often named without a domain.
func IsStandard(pkg *types.Package) bool {
	first, _, _ := strings.Cut(pkg.Path(), "/")
	return standard[first]
}

// standard are the first elements of the standard library's paths.
var standard = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "cmp": true, "compress": true, "container": true, "context": true, "crypto": true, "database": true,
	"debug": true, "embed": true, "encoding": true, "errors": true, "expvar": true, "flag": true, "fmt": true, "go": true, "hash": true, "html": true,
	"image": true, "index": true, "internal": true, "io": true, "iter": true, "log": true, "maps": true, "math": true, "mime": true, "net": true,
	"os": true, "path": true, "plugin": true, "reflect": true, "regexp": true, "runtime": true, "slices": true, "sort": true, "strconv": true,
	"strings": true, "structs": true, "sync": true, "syscall": true, "testing": true, "text": true, "time": true, "unicode": true, "unique": true,
	"unsafe": true, "vendor": true, "weak": true,
}

// IsLocal reports whether a package is one of the standard library whose
// functions stay on the machine: they neither talk to others nor run programs
// that may.
func IsLocal(pkg *types.Package) bool { return IsStandard(pkg) && !reachesOut[pkg.Path()] }

var reachesOut = map[string]bool{
	"net": true, "net/http": true, "net/rpc": true, "net/rpc/jsonrpc": true, "net/smtp": true, "crypto/tls": true, "database/sql": true, "os/exec": true,
}

// computes are functions that fail by what they are given alone.
var computes = newNameTable(
	"errors.New", "fmt.Errorf", "encoding/json.Unmarshal", "encoding/hex.*", "(*encoding/base64.Encoding).DecodeString", "strconv.*", "net/url.*",
	"time.Parse*", "crypto/x509.*", "crypto/tls.X509KeyPair", "sigs.k8s.io/yaml.Unmarshal*", "k8s.io/apimachinery/pkg/api/resource.ParseQuantity",
)

// Computes reports whether a function fails by what it is given alone, as one that parses a text does.
func Computes(fn *types.Func) bool { return fn != nil && computes.match(fn) }

func startsWithContext(fn *types.Func) bool {
	params := fn.Signature().Params()
	return params.Len() > 0 && IsContext(params.At(0).Type())
}
