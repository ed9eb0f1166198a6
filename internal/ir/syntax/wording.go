package syntax

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// At words a position as seen from another one: "line 12", or "controller.go:12" in another file.
func At(fset *token.FileSet, pos, from token.Pos) string {
	at := fset.Position(pos)
	if at.Filename == fset.Position(from).Filename {
		return fmt.Sprintf("line %d", at.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// Place words a position for messages and facts: the folder, the file and the
// line, as in "rollout/controller.go:494". It is empty without a position.
func Place(fset *token.FileSet, pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	at := fset.Position(pos)
	return fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(at.Filename)), filepath.Base(at.Filename), at.Line)
}

// FuncName names a function, or the one that a literal is in, as
// "Controller.add".
func FuncName(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	name := strings.TrimSuffix(fn.Name(), "$bound")
	if recv := fn.Signature.Recv(); recv != nil {
		if named := kubeapi.Named(recv.Type()); named != nil {
			return named.Obj().Name() + "." + name
		}
	}
	return name
}

// ComparePos orders places by file and offset. Positions by themselves are in the order in
// which the files were parsed, which is another one in each run.
func ComparePos(fset *token.FileSet, a, b token.Pos) int {
	if a == b {
		return 0
	}
	at, other := fset.Position(a), fset.Position(b)
	return cmp.Or(strings.Compare(at.Filename, other.Filename), cmp.Compare(at.Offset, other.Offset))
}
