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

// MakesSecret reports whether fn returns something random that passwords, keys or tokens are
// made of.
func MakesSecret(fn *types.Func) bool { return secrets.match(fn) || MakesRandomName(fn) }

var secrets = newNameTable("crypto/rand.*", "crypto/rsa.GenerateKey", "crypto/ecdsa.GenerateKey", "crypto/ed25519.GenerateKey", "math/rand/v2.*",
	"(*math/rand.Rand).*", "(*math/rand/v2.Rand).*", "golang.org/x/crypto/bcrypt.GenerateFromPassword", "github.com/sethvargo/go-password/password.*",
	"crypto/x509.CreateCertificate*", "k8s.io/client-go/util/cert.GenerateSelfSigned*", "k8s.io/client-go/util/cert.NewSelfSigned*", "k8s.io/client-go/util/keyutil.MakeEllipticPrivateKeyPEM")

// CountsExpectations reports whether fn is a method of expectations, which
// remember what has been created until the cache shows it.
func CountsExpectations(fn *types.Func) bool {
	return fn.Signature().Recv() != nil && strings.Contains(fn.Name(), "Expect")
}

// MayReadCache reports whether a client's reads may be answered by a cache: a
// controller-runtime client that writes as well, not one that only reads, which
// is there to ask the API server. What an accessor of an interface, or one of another
// package, answers that is no manager's may be any client.
func MayReadCache(client ssa.Value) bool {
	if client == nil || !HasMethod(client.Type(), "Update") {
		return false
	}
	call, ok := stripInterfaces(client).(*ssa.Call)
	if !ok || Callee(call.Common()) == nil {
		return true
	}
	return Callee(call.Common()).Name() != "GetAPIReader" && !IsSomebodys(client)
}

// IsSomebodys reports whether a client is what an accessor answers that is no manager's: of an
// interface, or a method of another package.
func IsSomebodys(client ssa.Value) bool {
	call, ok := stripInterfaces(client).(*ssa.Call)
	if !ok {
		return false
	}
	callee := Callee(call.Common())
	recv, _ := Args(call.Common())
	if callee == nil || recv == nil || HasMethod(recv.Type(), "GetCache") {
		return false
	}
	pkg := call.Parent().Pkg
	return call.Call.IsInvoke() || pkg != nil && callee.Pkg() != pkg.Pkg
}

// MakesLiveClient reports whether a value is a client of controller-runtime that asks
// the API server each time: one that was made without a manager, or the reader that a
// manager has beside its client.
func MakesLiveClient(v ssa.Value) bool {
	if extract, ok := v.(*ssa.Extract); ok && extract.Index == 0 {
		v = extract.Tuple
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	fn := Callee(call.Common())
	if fn == nil {
		return false
	}
	if fn.Signature().Recv() != nil {
		recv, _ := Args(call.Common())
		return fn.Name() == "GetAPIReader" && recv != nil && HasMethod(recv.Type(), "GetCache")
	}
	if IsFunc(fn, clientPath, "NewWithWatch") {
		return true
	}
	if !IsFunc(fn, clientPath, "New") || len(call.Call.Args) != 2 {
		return false
	}
	// Options.Cache makes it one that reads from a cache.
	load, ok := call.Call.Args[1].(*ssa.UnOp)
	if !ok {
		_, isConst := call.Call.Args[1].(*ssa.Const)
		return isConst
	}
	options, ok := load.X.(*ssa.Alloc)
	return ok && !setsField(options, "Cache")
}

// setsField reports whether a field of a struct in a variable may be set.
func setsField(alloc *ssa.Alloc, name string) bool {
	s := structOf(alloc.Type())
	for _, ref := range *alloc.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if s == nil || s.Field(ref.Field).Name() == name {
				return true
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return true
		}
	}
	return false
}
