package finalizeradd

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// unqualified notes a finalizer whose name the API server warns about or
// refuses. The addition by a helper that has the name itself is the helper's.
func (c *checker) unqualified(a addition) {
	if a.Name.Value == "" {
		a.Name.Value = c.variable(a)
	}
	problem := problemOf(a.Name.Value, a.Type)
	if problem == "" {
		return
	}
	expr := c.nameOf(a)
	if expr == nil || nameExcuses.Silence(c.report, expr.Pos(), unqualified, problem) {
		return
	}
	f := rule.Finding{Pos: expr.Pos(), End: expr.End(), Category: unqualified}
	if problem != pathless && problem != domainless {
		f.Harm = rule.Stuck
	}
	declared := ""
	var key any = expr
	if obj := c.declared(expr); obj != nil {
		key = obj
		if obj.Pkg() == c.pass.Pkg {
			f.Pos, f.End = obj.Pos(), obj.Pos()+token.Pos(len(obj.Name()))
		} else if at := c.pass.Fset.Position(obj.Pos()); at.IsValid() {
			declared = fmt.Sprintf(" (%s:%d)", wording.Tail(filepath.Base(at.Filename), maxName), at.Line)
		}
	}
	f.Message = message(a, declared, problem)
	c.note(key, f)
}

// nameExcuses say when the name of a finalizer is left alone although the API
// server warns about it.
var nameExcuses = rule.Excuses[string]{{
	Reason: rule.Reason{Name: "pathless", Doc: "the name has a domain and no path, which the API server accepts with a warning"},
	Strict: true,
	Holds:  func(problem string) bool { return problem == pathless },
}}

// note keeps one finding for each name: the worst.
func (c *checker) note(key any, f rule.Finding) {
	if known := c.named[key]; known == nil {
		c.named[key] = &f
		c.names = append(c.names, &f)
	} else if known.Harm < f.Harm {
		*known = f
	}
}

// The problems that a name can have.
const (
	domainless = "domainless"
	pathless   = "pathless"
	refused    = "refused"
	// builtInKind is a name without a slash on a kind of Kubernetes itself.
	builtInKind = "built-in kind"
)

var (
	namePart   = regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`)
	domainPart = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// builtIn are the names without a domain that the API server knows.
var builtIn = map[string]bool{"": true, "kubernetes": true, "orphan": true, "foregroundDeletion": true}

// problemOf checks a name as the API server does: it must be a qualified name
// (an optional DNS subdomain and a slash, then at most 63 characters), and
// should have the domain. On kinds of its own it insists on that.
func problemOf(name string, kind *types.Named) string {
	if builtIn[name] {
		return ""
	}
	domain, rest, qualified := strings.Cut(name, "/")
	if !qualified {
		rest = domain
	}
	switch {
	case qualified && (len(domain) > 253 || !domainPart.MatchString(domain)), len(rest) > 63, !namePart.MatchString(rest):
		return refused
	case qualified:
		return ""
	case kind != nil && kind.Obj().Pkg() != nil && strings.HasPrefix(kind.Obj().Pkg().Path(), "k8s.io/api/"):
		return builtInKind
	case strings.Contains(name, "."):
		return pathless
	}
	return domainless
}

func message(a addition, declared, problem string) string {
	name := wording.Tail(a.Name.Value, maxName)
	switch problem {
	case refused:
		return fmt.Sprintf("the API server refuses each write with the finalizer %q%s; use a domain and at most 63 characters, as in example.com/cleanup", name, declared)
	case builtInKind:
		return fmt.Sprintf("the API server refuses each %s with the finalizer %q%s; use a domain and a name, as in example.com/cleanup", a.Type.Obj().Name(), name, declared)
	case pathless:
		return fmt.Sprintf("finalizer %q%s has a domain but no name: the API server warns on each write; use a name, as in example.com/cleanup", name, declared)
	}
	return fmt.Sprintf("another controller may use and remove the finalizer %q%s, which has no domain; use one, as in example.com/cleanup", name, declared)
}

// variable returns the name that an addition takes from a variable of this
// package which nothing else is ever assigned to, or "".
func (c *checker) variable(a addition) string {
	name, ok := strings.CutPrefix(a.Name.Key, c.pass.Pkg.Path()+".")
	if !ok || token.IsExported(name) || c.Summaries.Calls.Pkg.Var(name) == nil {
		return ""
	}
	global := c.Summaries.Calls.Pkg.Var(name)
	stored := c.Summaries.Calls.Stored(global.Object())
	if len(stored) != 1 {
		return ""
	}
	value, _ := kubeapi.ConstString(stored[0])
	return value
}

// nameOf returns the expression in this function that has the finalizer's
// name, or nil.
func (c *checker) nameOf(a addition) ast.Expr {
	global := strings.TrimPrefix(a.Name.Key, c.pass.Pkg.Path()+".")
	for _, n := range syntax.Path(c.pass.Files, a.node.Instr.Pos()) {
		if call, ok := n.(*ast.CallExpr); ok && a.Via != nil {
			if at, isCall := a.node.Instr.(ssa.CallInstruction); isCall && call.Lparen == at.Common().Pos() {
				return c.valued(call, a.Name.Value, global)
			}
		}
		if _, ok := n.(ast.Stmt); ok && a.Via == nil {
			if found := c.valued(n, a.Name.Value, global); found != nil {
				return found
			}
		}
	}
	return nil
}

// valued returns the first expression in n that is the constant string, or the
// variable of the package that has it.
func (c *checker) valued(n ast.Node, value, global string) (found ast.Expr) {
	ast.Inspect(n, func(n ast.Node) bool {
		expr, ok := n.(ast.Expr)
		if !ok || found != nil {
			return found == nil
		}
		tv := c.pass.TypesInfo.Types[expr]
		if v, ok := c.declared(expr).(*types.Var); ok && global != "" && v.Name() == global && v.Parent() == c.pass.Pkg.Scope() {
			found = expr
		}
		if tv.Value != nil && tv.Value.Kind() == constant.String && constant.StringVal(tv.Value) == value {
			found = expr
		}
		return found == nil
	})
	return found
}

// declared returns the constant or variable that an expression names, or nil.
func (c *checker) declared(expr ast.Expr) types.Object {
	var id *ast.Ident
	switch e := ast.Unparen(expr).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return nil
	}
	switch obj := c.pass.TypesInfo.Uses[id].(type) {
	case *types.Const:
		return obj
	case *types.Var:
		if obj.Parent() == c.pass.Pkg.Scope() {
			return obj
		}
	}
	return nil
}
