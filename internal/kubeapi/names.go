package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

var randomNames = newNameTable(
	"k8s.io/apimachinery/pkg/util/rand.*", "k8s.io/apimachinery/pkg/util/uuid.NewUUID", "github.com/google/uuid.New*", "github.com/gofrs/uuid.NewV4",
	"github.com/rs/xid.New", "math/rand.*", "(k8s.io/apiserver/pkg/storage/names.NameGenerator).GenerateName", "crypto/rand.Text",
)

// MakesRandomName reports whether fn returns something random that names are
// made of.
func MakesRandomName(fn *types.Func) bool {
	return randomNames.match(fn) && fn.Name() != "SafeEncodeString"
}

// CountsExpectations reports whether fn is a method of expectations, which
// remember what has been created until the cache shows it.
func CountsExpectations(fn *types.Func) bool {
	if fn.Signature().Recv() == nil {
		return false
	}
	return strings.Contains(fn.Name(), "Expect") || strings.Contains(fn.Name(), "SatisfiedExpectations")
}

// MayReadCache reports whether a client's reads may be answered by a cache: a
// controller-runtime client that writes as well, not one that only reads, which
// is there to ask the API server.
func MayReadCache(client ssa.Value) bool {
	if client == nil || !HasMethod(client.Type(), "Update") {
		return false
	}
	call, ok := stripInterfaces(client).(*ssa.Call)
	return !ok || Callee(call.Common()) == nil || Callee(call.Common()).Name() != "GetAPIReader"
}

// IsGetter reports whether fn is, by Kubernetes' convention of naming, a method that
// hands out what its receiver has.
func IsGetter(fn *types.Func) bool {
	return fn != nil && fn.Signature().Recv() != nil && strings.HasPrefix(fn.Name(), "Get")
}
