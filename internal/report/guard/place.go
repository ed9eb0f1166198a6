package guard

import (
	"cmp"
	"go/ast"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/opvet/opvet/internal/ir/syntax"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// What a pass was looking at when it panicked is often among the arguments of
// the calls on the stack: a function, a block, an instruction, a piece of
// syntax. The runtime prints arguments as words, and these are looked for among
// the addresses of all that the package consists of. That costs nothing while
// all is well, and passes need not keep a record of where they are.

// bodies is what the result of the pass that builds the SSA form has.
type bodies interface{ All() []*ssa.Function }

// findBodies returns the pass that builds the SSA form, if it is among the
// analyzers and what they require: the first whose result has functions.
func findBodies(analyzers []*analysis.Analyzer) *analysis.Analyzer {
	for _, a := range Passes(analyzers) {
		if a.ResultType != nil && a.ResultType.Implements(reflect.TypeFor[bodies]()) {
			return a
		}
	}
	return nil
}

// argument matches a word of a printed argument. A question mark follows if it
// may be out of date.
var argument = regexp.MustCompile(`0x[0-9a-f]+\??`)

// placeOf returns the place that the innermost call with such an argument was
// about.
func placeOf(pass *analysis.Pass, stack []byte) token.Pos {
	parts := partsOf(pass)
	_, below, _ := strings.Cut(string(stack), "\npanic(")
	for line := range strings.Lines(below) {
		if strings.Contains(line, "/internal/report/guard.attempt(") {
			break
		}
		if strings.HasPrefix(line, "\t") { // where the code is
			continue
		}
		for _, word := range argument.FindAllString(line, -1) {
			address, err := strconv.ParseUint(word, 0, 64)
			if err != nil {
				continue
			}
			i, found := slices.BinarySearchFunc(parts, uintptr(address), func(p part, address uintptr) int { return cmp.Compare(p.first, address) })
			if !found {
				i--
			}
			if i >= 0 && uintptr(address) <= parts[i].last {
				return parts[i].pos
			}
		}
	}
	return token.NoPos
}

// part is a piece of a package: where it is in memory, for an argument may be
// one of its fields, and where in the source. What has no place of its own has
// that of the function around it.
type part struct {
	first, last uintptr
	pos         token.Pos
}

// partsOf returns the parts of a package, sorted by address.
func partsOf(pass *analysis.Pass) []part {
	var parts []part
	add := func(piece any, own, around token.Pos) {
		v := reflect.ValueOf(piece)
		if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Size() == 0 {
			return
		}
		if !own.IsValid() {
			own = around
		}
		if own.IsValid() {
			parts = append(parts, part{v.Pointer(), v.Pointer() + v.Type().Elem().Size() - 1, own})
		}
	}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				add(n, n.Pos(), token.NoPos)
			}
			return true
		})
	}
	for _, result := range pass.ResultOf {
		known, ok := result.(bodies)
		if !ok || reflect.ValueOf(result).IsZero() {
			continue
		}
		for _, fn := range known.All() {
			add(fn, fn.Pos(), token.NoPos)
			for _, param := range fn.Params {
				add(param, param.Pos(), fn.Pos())
			}
			for _, block := range fn.Blocks {
				add(block, token.NoPos, fn.Pos())
				for _, instr := range block.Instrs {
					add(instr, instr.Pos(), fn.Pos())
				}
			}
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.first, b.first) })
	return parts
}

// functionAt names the declared function around a place, such as
// (*Reconciler).Reconcile.
func functionAt(files []*ast.File, pos token.Pos) string {
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || pos < fn.Pos() || fn.End() <= pos {
				continue
			}
			switch receiver, pointer := syntax.Receiver(fn); {
			case receiver == "":
				return fn.Name.Name
			case pointer:
				return "(*" + receiver + ")." + fn.Name.Name
			default:
				return receiver + "." + fn.Name.Name
			}
		}
	}
	return ""
}
