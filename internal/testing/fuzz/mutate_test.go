package fuzz

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// choices makes decisions of the bytes that the fuzzer gives.
type choices struct{ bytes []byte }

func (c *choices) done() bool { return len(c.bytes) == 0 }

// pick returns a number below n; 0 when no bytes are left.
func (c *choices) pick(n int) int {
	if n <= 1 || len(c.bytes) == 0 {
		return 0
	}
	x := int(c.bytes[0])
	c.bytes = c.bytes[1:]
	if n > 256 && len(c.bytes) > 0 {
		x = x<<8 | int(c.bytes[0])
		c.bytes = c.bytes[1:]
	}
	return x % n
}

func choose[T any](c *choices, list []T) (choice T, ok bool) {
	if len(list) == 0 {
		return choice, false
	}
	return list[c.pick(len(list))], true
}

// maxChanges bounds how far a program is from the case that it was made of,
// and maxAttempts how often the type checker is asked.
const (
	maxChanges  = 6
	maxAttempts = 12
)

// mutate changes a program as the bytes say. A change after which it no longer
// compiles is left out.
func (p *program) mutate(in *choices) (*program, error) {
	c, err := p.check(nil, 0)
	if err != nil {
		return nil, err
	}
	defer func() { c.forget(0) }()
	changes := 0
	for attempt := 0; attempt < maxAttempts && changes < maxChanges && !in.done(); attempt++ {
		// The last package is what the case is about; its helpers have their turn.
		target := len(c.pkgs) - 1
		if target > 0 && in.pick(4) == 3 {
			target = in.pick(len(c.pkgs))
		}
		s := newSite(c.program.pkgs[target], c.pkgs[target], in, attempt)
		if s == nil {
			continue
		}
		changed := s.source.edited(operators[in.pick(len(operators))](s))
		if changed == nil {
			continue
		}
		next := &program{world: p.world, pkgs: slices.Clone(c.program.pkgs)}
		next.pkgs[target] = changed
		after, err := next.check(c, target)
		if err != nil {
			continue
		}
		c.forget(target)
		c = after
		changes++
	}
	return c.program, nil
}

// edit replaces a part of a file.
type edit struct {
	file       int
	start, end int
	text       string
}

// edited returns the package after the edits, nil if they are none or in each
// other's way.
func (s *pkgSource) edited(edits []edit) *pkgSource {
	if len(edits) == 0 {
		return nil
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.file-b.file, a.start-b.start, a.end-b.end) })
	for i := 1; i < len(edits); i++ {
		if edits[i].file == edits[i-1].file && edits[i].start < edits[i-1].end {
			return nil
		}
	}
	changed := *s
	changed.files = slices.Clone(s.files)
	for _, e := range slices.Backward(edits) {
		text := &changed.files[e.file].text
		*text = (*text)[:e.start] + e.text + (*text)[e.end:]
	}
	const tooLarge = 1 << 18
	first := &changed.files[edits[0].file].text
	if len(*first) > tooLarge {
		return nil
	}
	if strings.Contains(*first, "fuzz") && !slices.ContainsFunc(changed.files, func(f fileSource) bool { return strings.Contains(f.text, helpers) }) {
		*first += helpers
	}
	return &changed
}

// helpers are what changed code calls. They are added to the package with the
// first change that needs them.
const helpers = `

func fuzzID[T any](x T) T { return x }

func fuzzCond() bool { return len(fuzzKept) > 0 }

func fuzzRun(f func()) { f() }

func fuzzSpawn(f func()) { go f() }

func fuzzCall[T any](f func() T) T { return f() }

func fuzzKeep(f func()) { fuzzKept = append(fuzzKept, f) }

var fuzzKept []func()

type fuzzBox[T any] struct {
	value T
	next  *fuzzBox[T]
}

func (b *fuzzBox[T]) get() T {
	if b.next != nil {
		return b.next.get()
	}
	return b.value
}

func (b *fuzzBox[T]) set(x T) { b.value = x }

type fuzzGetter[T any] interface{ get() T }

func fuzzEach[T any](list []T) func(func(int, T) bool) {
	return func(yield func(int, T) bool) {
		for i, x := range list {
			if !yield(i, x) {
				return
			}
		}
	}
}

func fuzzSeq(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

func fuzzPing[T any](n int, x T) T {
	if n == 0 {
		return x
	}
	return fuzzPong(n-1, []T{x})[0]
}

func fuzzPong[T any](n int, x []T) []T {
	return []T{fuzzPing(n, x[0])}
}
`

// site is a function of a package, with all that a change may be about.
type site struct {
	source *pkgSource
	pkg    *packages.Package
	in     *choices
	serial int // for names that are not taken

	file  int
	fn    *ast.FuncDecl
	funcs []*ast.FuncDecl // of the file, with bodies

	slots  []slot
	exprs  []ast.Expr // values
	idents []ast.Expr // variables
}

// slot is a place in a list of statements, before the one at the index or at
// the end.
type slot struct {
	list []ast.Stmt
	at   int
	pos  token.Pos        // where a statement could be inserted
	in   *types.Signature // of the innermost function
}

func newSite(source *pkgSource, pkg *packages.Package, in *choices, serial int) *site {
	s := &site{source: source, pkg: pkg, in: in, serial: serial}
	s.file = in.pick(len(pkg.Syntax))
	for _, decl := range pkg.Syntax[s.file].Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && !strings.HasPrefix(fn.Name.Name, "fuzz") {
			s.funcs = append(s.funcs, fn)
		}
	}
	fn, ok := choose(in, s.funcs)
	if !ok {
		return nil
	}
	s.fn = fn
	obj, ok := pkg.TypesInfo.Defs[fn.Name].(*types.Func)
	if !ok {
		return nil
	}
	s.collect(fn.Body, obj.Signature())
	return s
}

// collect gathers what is in a function's body.
func (s *site) collect(body *ast.BlockStmt, sig *types.Signature) {
	add := func(list []ast.Stmt, end token.Pos) {
		for i, stmt := range list {
			s.slots = append(s.slots, slot{list, i, stmt.Pos(), sig})
		}
		s.slots = append(s.slots, slot{list, len(list), end, sig})
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if inner, ok := s.typeOf(n).(*types.Signature); ok {
				s.exprs = append(s.exprs, n)
				s.collect(n.Body, inner)
			}
			return false
		case *ast.BlockStmt:
			add(n.List, n.Rbrace)
		case *ast.CaseClause:
			add(n.Body, n.End())
		case *ast.CommClause:
			add(n.Body, n.End())
		case ast.Expr:
			tv, ok := s.pkg.TypesInfo.Types[n]
			if _, tuple := tv.Type.(*types.Tuple); ok && tv.IsValue() && !tuple && !tv.IsNil() {
				s.exprs = append(s.exprs, n)
			} else if id, ok := n.(*ast.Ident); ok {
				if v, ok := s.pkg.TypesInfo.Uses[id].(*types.Var); ok && v != nil {
					s.exprs = append(s.exprs, id)
				}
			}
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := s.pkg.TypesInfo.Uses[id].(*types.Var); ok && !v.IsField() {
					s.idents = append(s.idents, id)
				}
			}
		}
		return true
	})
}

func (s *site) typeOf(e ast.Expr) types.Type { return s.pkg.TypesInfo.TypeOf(e) }

func (s *site) offset(pos token.Pos) int { return s.pkg.Fset.File(pos).Offset(pos) }

func (s *site) span(from, to token.Pos) string {
	return s.source.files[s.file].text[s.offset(from):s.offset(to)]
}

func (s *site) text(n ast.Node) string { return s.span(n.Pos(), n.End()) }

func (s *site) replace(n ast.Node, format string, args ...any) []edit {
	return []edit{{s.file, s.offset(n.Pos()), s.offset(n.End()), fmt.Sprintf(format, args...)}}
}

func (s *site) insert(pos token.Pos, format string, args ...any) []edit {
	return []edit{{s.file, s.offset(pos), s.offset(pos), fmt.Sprintf(format, args...)}}
}

func (s *site) name() string { return fmt.Sprintf("fuzz%d", s.serial) }

// typeText is how a type is written in the package.
func (s *site) typeText(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == s.pkg.Types {
			return ""
		}
		for _, spec := range s.pkg.Syntax[s.file].Imports {
			if spec.Name != nil && strings.Trim(spec.Path.Value, `"`) == pkg.Path() {
				return spec.Name.Name
			}
		}
		return pkg.Name()
	})
}

// zero is how the zero value of a type is written.
func (s *site) zero(t types.Type) string {
	if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
		switch u := t.Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Chan, *types.Signature:
			return "nil"
		case *types.Struct, *types.Array:
			return s.typeText(t) + "{}"
		case *types.Basic:
			switch {
			case u.Info()&types.IsNumeric != 0:
				return "0"
			case u.Info()&types.IsString != 0:
				return `""`
			case u.Info()&types.IsBoolean != 0:
				return "false"
			}
		}
	}
	return "*new(" + s.typeText(t) + ")"
}

// valueOf writes a value of a type: of the function if it has one, or zero.
func (s *site) valueOf(t types.Type) string {
	var same []ast.Expr
	for _, e := range s.idents {
		if types.Identical(s.typeOf(e), t) {
			same = append(same, e)
		}
	}
	if e, ok := choose(s.in, same); ok {
		return s.text(e)
	}
	return s.zero(t)
}

func (s *site) valuesOf(tuple *types.Tuple) string {
	var values []string
	for v := range tuple.Variables() {
		values = append(values, s.valueOf(v.Type()))
	}
	return strings.Join(values, ", ")
}

// stmt chooses a statement.
func (s *site) stmt() (slot, bool) {
	var full []slot
	for _, at := range s.slots {
		if at.at < len(at.list) {
			full = append(full, at)
		}
	}
	return choose(s.in, full)
}

// pickNode chooses a node of a kind in the function.
func pickNode[T ast.Node](s *site) (node T, ok bool) {
	var all []T
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		if n, ok := n.(T); ok {
			all = append(all, n)
		}
		return true
	})
	return choose(s.in, all)
}

// operators are all changes, of which each returns nothing where it makes no
// sense.
var operators = []func(*site) []edit{
	deleteStmt, duplicateStmt, swapStmts, moveStmt, transplant, wrapStmts, wrapStmts, wrapRest, leaveEarly, leaveEarly,
	callMore, callMore, turnCall, changeCondition, changeCondition, changeBranches, forgetResult, recoverPanics, loopOfCondition,
	replaceValue, replaceValue, replaceVariable, replaceVariable, replaceVariable, zeroValue, wrapValue, wrapValue, wrapValue, outlineValue, methodValue,
	throughInterface, changeLiteral, rangeOverFunc, returnOther,
	makeGeneric, makeTypeGeneric, bodyInClosure, captureParams, dropBody, recurse, dropParamName, keepInField,
}
