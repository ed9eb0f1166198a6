package cache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// Options says what to list.
type Options struct {
	Dir      string // where the go command runs
	Patterns []string
	Tests    bool
	Tags     string
	Copy     Copy // that the packages are in
}

// Listing is a set of packages with all that they import.
type Listing struct {
	Packages []*Package // each after those that it imports
	env      goEnv
	tags     string
	dir      string
	place    Copy
	base     Key            // see Keys
	own      map[string]Key // of what packages are, but for their imports
	sums     map[string]Key // of files, by their absolute names
}

// GOARCH is the architecture that the packages are for.
func (l *Listing) GOARCH() string { return l.env.GOARCH }

// Package is a package as the go command describes it.
type Package struct {
	ImportPath string // unique: a variant for a test has the test's name in brackets
	Name       string
	Dir        string
	ForTest    string
	DepOnly    bool // no pattern matches it
	Standard   bool
	Incomplete bool // it or what it imports has an error
	Imports    []string
	Module     *packages.Module

	GoFiles, CgoFiles, IgnoredGoFiles                           []string
	CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SysoFiles []string
	SwigFiles, SwigCXXFiles, IgnoredOtherFiles                  []string
	Error                                                       *struct{ Err string }
}

// fields are those of [Package].
const fields = "ImportPath,Name,Dir,ForTest,DepOnly,Standard,Incomplete,Imports,Module,Error," +
	"GoFiles,CgoFiles,IgnoredGoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SysoFiles,SwigFiles,SwigCXXFiles,IgnoredOtherFiles"

// files returns the names of the files that an analysis may see.
func (p *Package) files() []string {
	var all []string
	for _, files := range [][]string{
		p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SysoFiles,
		p.SwigFiles, p.SwigCXXFiles, p.IgnoredOtherFiles,
	} {
		all = append(all, files...)
	}
	return all
}

// OtherFiles returns the names of the files that are neither in Go nor left out.
func (p *Package) OtherFiles() []string {
	return slices.Concat(p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles)
}

// Absolute returns the absolute names of files of the package.
func (p *Package) Absolute(files []string) []string {
	var names []string
	for _, name := range files {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		names = append(names, name)
	}
	return names
}

// goEnv is what of the go command's environment decides what packages are.
type goEnv struct {
	GOVERSION, GOROOT, GOOS, GOARCH, GOEXPERIMENT, GOMODCACHE, GOFLAGS, CGO_ENABLED string
}

// errUnknowable says that what packages are made of is not known from files.
var errUnknowable = errors.New("packages come from a driver or an overlay")

// List asks the go command for packages, without compiling anything.
func List(ctx context.Context, opts Options) (*Listing, error) {
	if driver := os.Getenv("GOPACKAGESDRIVER"); driver != "" && driver != "off" {
		return nil, errUnknowable
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	l := &Listing{tags: opts.Tags, dir: dir, place: opts.Copy}
	var group errgroup.Group
	group.Go(func() error {
		return output(ctx, opts.Dir, func(out io.Reader) error { return json.NewDecoder(out).Decode(&l.env) },
			"env", "-json", "GOVERSION", "GOROOT", "GOOS", "GOARCH", "GOEXPERIMENT", "GOMODCACHE", "GOFLAGS", "CGO_ENABLED")
	})
	group.Go(func() error {
		args := []string{"list", "-e", "-deps", "-json=" + fields, "-buildvcs=false", "-pgo=off", fmt.Sprintf("-test=%t", opts.Tests)}
		if opts.Tags != "" {
			args = append(args, "-tags="+opts.Tags)
		}
		args = append(append(args, "--"), opts.Patterns...)
		return output(ctx, opts.Dir, l.read, args...)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if strings.Contains(l.env.GOFLAGS, "-overlay") || strings.Contains(l.env.GOFLAGS, "-toolexec") {
		return nil, errUnknowable
	}
	return l, nil
}

func (l *Listing) read(out io.Reader) error {
	for decoder := json.NewDecoder(out); ; {
		p := new(Package)
		if err := decoder.Decode(p); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		l.Packages = append(l.Packages, p)
	}
}

// GoEnviron is the environment of a go command that lists packages. It has a thousand
// in memory until it ends, and would go through them a dozen times to find garbage.
// Compilers that it starts take that up, too, and more memory by half at most; so it is
// not more.
func GoEnviron() []string {
	environ := os.Environ()
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		environ = append(environ, "GOGC=200")
	}
	return environ
}

// output runs the go command and reads what it prints.
func output(ctx context.Context, dir string, read func(io.Reader) error, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = GoEnviron()
	if dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+dir)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	failed := read(out)
	if failed != nil {
		_, _ = io.Copy(io.Discard, out) // or the command waits for a reader
	}
	if err := cmd.Wait(); err != nil {
		return err
	}
	return failed
}
