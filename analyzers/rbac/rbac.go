package rbac

import (
	_ "embed"
	"flag"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	missingResource    = "missing-resource"
	missingVerb        = "missing-verb"
	missingSubresource = "missing-subresource"
	inertMarker        = "inert-marker"
	misspelling        = "misspelling"
	wildcard           = "wildcard"
	unused             = "unused"
	clusterWide        = "cluster-wide"
)

// roles are the patterns of the flag roles, separated by commas.
var roles string

// Analyzer finds permissions that a program needs and does not have, or has and does
// not need.
var Analyzer = rule.New(rule.Spec{
	Name:      "rbac",
	Summary:   "find permissions that the program's calls need and its roles do not grant",
	DocSource: doc,
	Group:     "permissions",
	Since:     "unreleased",
	Elsewhere: true, ProductOnly: true,
	Categories: []rule.Category{
		{Name: missingResource, Summary: "nothing is granted on a resource that the program uses", Harm: rule.Stuck, Trial: true, Fix: true},
		{Name: missingVerb, Summary: "a verb that the program needs is not granted", Harm: rule.Stuck, Fix: true},
		{Name: missingSubresource, Summary: "a subresource that the program uses is not granted", Harm: rule.Stuck, Trial: true, Fix: true},
		{Name: inertMarker, Summary: "a marker stands where controller-gen does not see it", Harm: rule.Loss, Trial: true},
		{Name: misspelling, Summary: "a marker names a resource that Kubernetes does not have", Harm: rule.Hygiene},
		{Name: wildcard, Summary: "a marker grants whatever there is", Harm: rule.Hygiene},
		{Name: unused, Summary: "a marker grants a resource that the program does not use", Harm: rule.Hygiene},
		{Name: clusterWide, Summary: "a marker grants all namespaces where the cache holds some", Harm: rule.Hygiene},
	},
	Requires: []*analysis.Analyzer{permissions.Analyzer},
	Flags: func(fs *flag.FlagSet) {
		fs.StringVar(&roles, "roles", "", "what is granted is in the YAML files that match these comma-separated `patterns`, and not in the markers")
	},
	Run: run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	p := pass.ResultOf[permissions.Analyzer].(*permissions.Permissions)
	if !decides(pass, p) {
		return nil
	}
	c := &checker{p: p, pass: pass, report: report, markers: slices.Clone(p.Markers)}
	for i, m := range c.markers {
		if comment := report.CommentAt(m.Where); !m.Pos.IsValid() && comment != nil {
			c.markers[i].Pos, c.markers[i].End = comment.Pos(), comment.End()
		}
	}
	if roles != "" {
		for _, pattern := range strings.Split(roles, ",") {
			report.ReadsBelow(filepath.Dir(pattern), rule.AllFiles)
		}
		grants, err := permissions.GrantedBy(strings.Split(roles, ","))
		if err != nil {
			return err
		}
		c.grants = grants
	} else {
		project := permissions.ProjectOfPass(pass)
		if project == "" {
			return nil // what the manifests grant is not seen, as in Bazel's sandbox
		}
		report.ReadsBelow(project, rule.Grants)
		c.grants = p.Granted(project)
		// Markers in a package that the program does not import are its own if there
		// is no other program.
		if len(c.grants.Markers) == 0 || (len(p.Markers) == 0 || len(p.Program.Managers) == 0) && c.grants.Programs > 1 {
			return nil
		}
	}
	if !c.grants.Manifests.Aggregated && !c.grants.Manifests.ByKubeconfig {
		c.missing()
	}
	c.inert()
	c.misspelt()
	c.wildcards()
	c.unneeded()
	c.tooWide()
	return nil
}

// decides reports whether a package is a program that works in a cluster under a role: it
// runs a manager, or has informers or a leader without one, as no tool for people has.
func decides(pass *analysis.Pass, p *permissions.Permissions) bool {
	return pass.Pkg.Name() == "main" && !p.Program.Full && (len(p.Program.Managers) > 0 ||
		slices.ContainsFunc(p.Needs(), func(n permissions.Need) bool { return n.Via == permissions.Watch || n.Via == permissions.Leader }))
}

// checker looks at one program.
type checker struct {
	p      *permissions.Permissions
	grants *permissions.Grants
	// markers are those of the program, with their places as far as the driver has them.
	markers []permissions.Marker
	pass    *analysis.Pass
	report  *rule.Reporter
}

// place returns where a finding about a place stands: there, or where the program is
// put together; here tells that it is the latter.
func (c *checker) place(pos token.Pos, where string) (at, end token.Pos, here bool) {
	if !pos.IsValid() {
		pos = c.report.Elsewhere(where)
	}
	if pos.IsValid() {
		return pos, token.NoPos, false
	}
	for _, file := range c.pass.Files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" {
				return fn.Name.Pos(), fn.Name.End(), true
			}
		}
	}
	return c.pass.Files[0].Name.Pos(), token.NoPos, true
}
