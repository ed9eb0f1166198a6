package driver

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/passes/permissions"
)

const rbacUsage = `Usage: opvet rbac [flags] [package]

Prints what a program must be allowed by Kubernetes' RBAC: the permissions of all calls of its clients.
The package is that of the program, such as ./cmd/manager; by default it is looked for in ./....

Flags:

`

// rbacCommand is the command line of opvet rbac.
type rbacCommand struct {
	subcommand
	name  string
	roles stringList
	why   bool
}

type stringList []string

func (l *stringList) String() string { return strings.Join(*l, ",") }

func (l *stringList) Set(value string) error {
	*l = append(*l, value)
	return nil
}

func newRBACCommand() *rbacCommand {
	c := new(rbacCommand)
	c.define("rbac")
	c.flags.StringVar(&c.format, "format", "markers", "print this `format`: markers, yaml, diff (against what is granted) or json")
	c.flags.StringVar(&c.name, "name", "manager-role", "the `name` of the roles that yaml prints")
	c.flags.Var(&c.roles, "roles", "what is granted is in the files that match this `pattern`, and not in the markers; may be repeated")
	c.flags.BoolVar(&c.why, "why", false, "print the places behind each permission")
	return c
}

// program is one program and what it needs.
type rbacProgram struct {
	path    string
	project string // its folder
	needs   *permissions.Permissions
}

func runRBAC(args []string, stdout, stderr io.Writer) error {
	c := newRBACCommand()
	formats := []string{"markers", "yaml", "diff", "json"}
	if done, err := c.parse(args, rbacUsage, formats, "markers, yaml, diff and json", stdout); done || err != nil {
		return err
	}
	program, problems, err := c.load(stderr)
	if err != nil {
		return err
	}
	report := newRBACReport(program.needs)
	switch c.format {
	case "markers":
		report.markers(stdout, c.why)
	case "yaml":
		report.yaml(stdout, c.name, c.why)
	case "json":
		err = report.json(stdout)
	case "diff":
		var grants *permissions.Grants
		if len(c.roles) > 0 {
			grants, err = permissions.GrantedBy(c.roles)
		} else {
			grants = program.needs.Granted(program.project)
		}
		if err == nil {
			report.diff(stdout, grants, c.why)
		}
	}
	if err != nil {
		return err
	}
	return tellProblems(stderr, problems)
}

// load analyses the packages and returns the one program among them.
func (c *rbacCommand) load(stderr io.Writer) (*rbacProgram, []string, error) {
	progress := startProgress(stderr)
	defer progress.stop()
	progress.phase(loadingPackages)
	program, err := untilInterrupted(Load, LoadOptions{Patterns: c.flags.Args(), Tags: c.tags})
	if err != nil {
		return nil, nil, err
	}
	wanted := make(map[string]bool)
	for _, pkg := range program.roots {
		if program.wanted[pkg.ID] {
			wanted[pkg.PkgPath] = true
		}
	}
	var mu sync.Mutex
	var programs []*rbacProgram
	collect := &analysis.Analyzer{
		Name: "opvetrbac", Doc: "collect what programs need", Requires: []*analysis.Analyzer{permissions.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			p := pass.ResultOf[permissions.Analyzer].(*permissions.Permissions)
			if pass.Pkg.Name() == "main" && wanted[pass.Pkg.Path()] && len(p.Needs())+len(p.Unknowns()) > 0 {
				mu.Lock()
				defer mu.Unlock()
				programs = append(programs, &rbacProgram{pass.Pkg.Path(), permissions.ProjectOfPass(pass), p})
			}
			return nil, nil
		},
	}
	progress.analysing(program)
	result, err := program.Analyze([]*analysis.Analyzer{collect})
	if err != nil {
		return nil, nil, err
	}
	switch len(programs) {
	case 0:
		return nil, nil, nothingFound("none of the packages is a program that calls the API server", result.Problems)
	case 1:
		return programs[0], result.Problems, nil
	}
	var paths []string
	for _, p := range programs {
		paths = append(paths, p.path)
	}
	slices.Sort(paths)
	return nil, nil, fmt.Errorf("there are several programs, name one: %s", strings.Join(paths, ", "))
}
