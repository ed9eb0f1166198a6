package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// The names of the programs, which the targets refer to.
const (
	loadOnly        = "load only"
	standalone      = "opvet, no cache"
	unchanged       = "opvet, nothing changed"
	leafChanged     = "opvet, a leaf changed"
	baseChanged     = "opvet, a package changed that many import"
	leafSince       = "opvet -new-from-rev=HEAD, a leaf changed"
	baseSince       = "opvet -new-from-rev=HEAD, a package changed that many import"
	vetCold         = "go vet, cold"
	vetCached       = "go vet, cached"
	vettoolCold     = "go vet -vettool=opvet, cold"
	vettoolCached   = "go vet -vettool=opvet, cached"
	staticcheckCold = "staticcheck, cold"
	staticcheckWarm = "staticcheck, cached"
)

// Exit statuses that are no failure of the measurement.
const (
	findings = 1
	partly   = 2 // opvet's if some package does not compile
)

// prepare builds the programs to measure. The first is the base of the ratios.
func prepare(c config, temp string) ([]*program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	opvet := filepath.Join(temp, "opvet")
	if err := build("", "go", "build", "-o", opvet, "github.com/opvet/opvet/cmd/opvet"); err != nil {
		return nil, err
	}
	b := &builder{config: c, temp: temp, self: self, opvet: opvet}
	b.add(&program{name: loadOnly, args: b.command([]string{self, "-load", "-dir=."})})
	b.add(&program{name: standalone, args: b.command([]string{opvet}, "-cache=off"), highest: partly})
	b.caching()
	for _, step := range []struct {
		wanted bool
		add    func() error
	}{{c.vet, b.vet}, {c.staticcheck, b.staticcheck}, {c.golangci, b.golangci}} {
		if step.wanted {
			if err := step.add(); err != nil {
				return nil, err
			}
		}
	}
	return b.programs, nil
}

type builder struct {
	config
	temp, self, opvet string
	programs          []*program
}

func (b *builder) add(p *program) { b.programs = append(b.programs, p) }

// command is a command line with the build tags and the patterns.
func (b *builder) command(args []string, flags ...string) []string {
	if b.tags != "" {
		args = append(args, "-tags="+b.tags)
	}
	return append(append(args, flags...), b.config.patterns...)
}

// caching adds opvet with a cache: of what has not changed, and of all but what
// one package is, which is changed before each run. What that is to be compared with is load only
// of the tree as it was: the changed one has to be compiled first, which takes longer by far.
func (b *builder) caching() {
	args := b.command([]string{b.opvet}, "-cache="+filepath.Join(b.temp, "opvet-cache"))
	b.add(&program{name: unchanged, args: args, highest: partly})
	since := slices.Insert(slices.Clone(args), 1, "-new-from-rev=HEAD")
	for _, changed := range []struct{ name, since, file string }{{leafChanged, leafSince, b.leaf}, {baseChanged, baseSince, b.base}} {
		if changed.file == "" {
			continue
		}
		file := filepath.Join(b.dir, changed.file)
		b.add(&program{name: changed.name, args: args, highest: partly, edited: file})
		b.add(&program{name: changed.since, args: since, highest: partly, edited: file})
	}
}

// vet adds go vet. The go command keeps what a tool has found under the hash
// of the tool: cold is a copy that it has not seen, of cmd/vet as well as of
// opvet, while all packages are compiled.
func (b *builder) vet() error {
	vet := filepath.Join(b.temp, "vet")
	if err := build(b.temp, "go", "build", "-o", vet, "cmd/vet"); err != nil {
		return err
	}
	for _, tool := range []struct{ cold, cached, path string }{{vetCold, vetCached, vet}, {vettoolCold, vettoolCached, b.opvet}} {
		cold := &program{
			name: tool.cold, cold: true, highest: findings,
			fresh: func(p *program) error {
				salted, err := saltedCopy(tool.path)
				p.args = b.command([]string{"go", "vet"}, "-vettool="+salted)
				return err
			},
		}
		b.add(cold)
		b.add(&program{name: tool.cached, warm: cold, highest: findings})
	}
	return nil
}

// saltedCopy copies an executable to a new name and adds a few bytes, which do
// not matter to it: the go command tells cmd/vet by its name and version, other
// tools by their hash.
func saltedCopy(path string) (string, error) {
	salt := strconv.FormatInt(time.Now().UnixNano(), 36)
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.OpenFile(path+salt, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	if _, err = io.Copy(out, in); err == nil {
		_, err = io.WriteString(out, salt)
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	return out.Name(), err
}

// staticcheck adds the latest staticcheck, with an empty cache of its own and
// with one that has all.
func (b *builder) staticcheck() error {
	install := exec.Command("go", "install", "honnef.co/go/tools/cmd/staticcheck@latest")
	install.Env = append(os.Environ(), "GOBIN="+b.temp, "GOFLAGS=")
	install.Dir = b.temp
	if err := run(install); err != nil {
		return err
	}
	b.cachingPair("staticcheck", "STATICCHECK_CACHE", b.command([]string{filepath.Join(b.temp, "staticcheck")}))
	return nil
}

// golangci adds golangci-lint with one linter: opvet, or contextcheck, which
// asks a related question.
func (b *builder) golangci() error {
	lint := filepath.Join(b.temp, "golangci-lint")
	if err := build(filepath.Join("cmd", "golangci-lint-opvet"), "go", "build", "-o", lint, "."); err != nil {
		return err
	}
	for _, linter := range []string{"opvet", "contextcheck"} {
		text := fmt.Sprintf("version: \"2\"\nlinters:\n  default: none\n  enable: [%s]\n", linter)
		if linter == "opvet" {
			text += "  settings:\n    custom:\n      opvet:\n        type: module\n"
		}
		if b.tags != "" {
			text += "run:\n  build-tags: [" + b.tags + "]\n"
		}
		settings := filepath.Join(b.temp, linter+".yml")
		if err := os.WriteFile(settings, []byte(text), 0o666); err != nil {
			return err
		}
		args := append([]string{lint, "run", "--config=" + settings, "--tests=false", "--allow-parallel-runners"}, b.config.patterns...)
		b.cachingPair("golangci-lint with "+linter, "GOLANGCI_LINT_CACHE", args)
	}
	return nil
}

// cachingPair adds a program twice: with an empty cache for each run, and with
// the one that this run has filled.
func (b *builder) cachingPair(name, variable string, args []string) {
	cold := &program{
		name: name + ", cold", cold: true, args: args, highest: findings,
		fresh: func(p *program) error {
			cache, err := os.MkdirTemp(b.temp, "cache-")
			p.env = []string{variable + "=" + cache}
			return err
		},
	}
	b.add(cold)
	b.add(&program{name: name + ", cached", warm: cold, highest: findings})
}

// build runs a command in dir without the GOFLAGS that are set, which are for
// the operator.
func build(dir string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	return run(cmd)
}

func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return nil
}
