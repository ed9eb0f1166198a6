package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// runTimeout is far beyond what any module needs with its dependencies
// compiled: it ends a run that hangs.
const runTimeout = 20 * time.Minute

// A bench runs one opvet binary over checkouts.
type bench struct {
	repos, work string
	fixup       bool
	source      bool // read dependencies from source
	keptOnly    bool // analyse nothing
	alone       bool // of fixed mistakes, load only the packages
	binary      string
	hash        string // of the binary
	provenance  provenance
	analyzers   map[string]bool // that the binary has
	progress    func(format string, args ...any)
}

// analysis is what opvet said about a module: what the cache keeps.
type analysis struct {
	Findings []Finding
	Failures []string
	// Of an analysis in this process, which alone knows them:
	Excuses []Excuse
	Left    []string // the module's files, relative to it, whose packages do not compile, or import one that does not
}

// newBench makes the bench; binary may be empty, then opvet is built from the
// module in the current directory. With source the analyzers of this program
// run, and binary is to be its own.
func newBench(repos, work, binary string, source, fixup bool, progress func(string, ...any)) (*bench, error) {
	repos, err := filepath.Abs(repos)
	if err != nil {
		return nil, err
	}
	if work, err = filepath.Abs(work); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, err
	}
	ownBuild := binary == ""
	if ownBuild {
		binary = filepath.Join(work, ".opvet")
		// Without stamps the same source makes the same binary.
		build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "github.com/opvet/opvet/cmd/opvet")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building opvet: %w: %s", err, tail(string(out), 2000))
		}
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	b := &bench{
		repos: repos, work: work, source: source, fixup: fixup,
		binary: binary, hash: hex.EncodeToString(sum[:]), progress: progress,
	}
	if b.provenance, err = newProvenance(binary, ownBuild); err != nil {
		return nil, fmt.Errorf("finding out which opvet this is: %w", err)
	}
	if source {
		b.analyzers = linkedAnalyzers()
		return b, nil
	}
	b.analyzers, err = listAnalyzers(binary)
	return b, err
}

// listAnalyzers asks the binary for its flags, as go vet does; each analyzer
// has a boolean one of its name.
func listAnalyzers(binary string) (map[string]bool, error) {
	out, err := exec.Command(binary, "-flags").Output()
	if err != nil {
		return nil, fmt.Errorf("%s -flags: %w", binary, withStderr(err))
	}
	var flags []struct {
		Name string
		Bool bool
	}
	if err := json.Unmarshal(out, &flags); err != nil {
		return nil, fmt.Errorf("%s -flags: %w", binary, err)
	}
	names := make(map[string]bool)
	for _, f := range flags {
		if f.Bool {
			names[f.Name] = true
		}
	}
	return names, nil
}

// run decides the cases. Cases of categories that no analyzer of the binary
// serves are left out.
func (b *bench) run(cases []Case, wanted []string) *Report {
	report := &Report{Binary: b.hash, Opvet: b.provenance}
	var commits []string
	groups := make(map[string][]Case)
	for _, c := range cases {
		if len(b.serving(c.Category, wanted)) == 0 {
			report.skip(c.Category)
			continue
		}
		key := checkoutName(c.Repo, c.Commit)
		if groups[key] == nil {
			commits = append(commits, key)
		}
		groups[key] = append(groups[key], c)
	}
	for i, key := range commits {
		b.progress("%d/%d %s", i+1, len(commits), key)
		b.runCommit(groups[key], wanted, report)
	}
	report.finish(b, wanted)
	return report
}

// serving returns the analyzers of a category that are wanted and that the
// binary has.
func (b *bench) serving(category string, wanted []string) []string {
	var names []string
	for _, name := range wantedAnalyzers(category, wanted) {
		if b.analyzers[name] {
			names = append(names, name)
		}
	}
	return names
}

// runCommit decides the cases of one commit.
func (b *bench) runCommit(cases []Case, wanted []string, report *Report) {
	unanalysed := func(c Case, reason string) {
		report.Cases = append(report.Cases, Result{Case: c, Outcome: outcomeUnanalysed, Reason: reason})
	}
	repo, commit := cases[0].Repo, cases[0].Commit
	dir, err := b.checkout(repo, commit)
	if err != nil {
		for _, c := range cases {
			unanalysed(c, err.Error())
		}
		return
	}
	var modules []string
	byModule := make(map[string][]Case)
	for _, c := range cases {
		mod, ok := moduleDir(dir, c.File)
		if !ok {
			unanalysed(c, "no go.mod governs the file")
			continue
		}
		if byModule[mod] == nil {
			modules = append(modules, mod)
		}
		byModule[mod] = append(byModule[mod], c)
	}
	extents := funcExtents(dir)
	for _, mod := range modules {
		m, a, err := b.analyse(dir, mod, repo, commit)
		if err != nil {
			for _, c := range byModule[mod] {
				unanalysed(c, err.Error())
			}
			continue
		}
		for _, failure := range a.Failures {
			report.Failures = append(report.Failures, checkoutName(repo, commit)+": "+failure)
		}
		byCategory := make(map[string][]Case)
		for _, c := range byModule[mod] {
			rel, err := filepath.Rel(mod, filepath.FromSlash(c.File))
			if err != nil {
				unanalysed(c, err.Error())
				continue
			}
			if reason := m.why(filepath.ToSlash(rel)); reason != "" {
				unanalysed(c, reason)
				continue
			}
			byCategory[c.Category] = append(byCategory[c.Category], c)
		}
		judged := make(map[string]bool)
		relevant := make(map[string]bool)
		for category, cases := range byCategory {
			names := b.serving(category, wanted)
			var findings []Finding
			for _, f := range a.Findings {
				if slices.Contains(names, f.Analyzer) {
					findings = append(findings, f)
					relevant[f.id()] = true
				}
			}
			results, seen := match(cases, findings, extents)
			report.Cases = append(report.Cases, results...)
			for i, f := range findings {
				if seen[i] {
					judged[f.id()] = true
				}
			}
		}
		if b.source {
			report.addExcuses(a.Excuses)
		}
		for _, f := range a.Findings {
			if relevant[f.id()] && !judged[f.id()] {
				report.Unjudged = append(report.Unjudged, Unjudged{Repo: repo, Commit: commit, Finding: f})
			}
		}
	}
}

func (f Finding) id() string { return fmt.Sprint(f.Analyzer, f.File, f.Line, f.Message) }

func (b *bench) checkout(repo, commit string) (string, error) {
	clone, err := findClone(b.repos, repo)
	if err != nil {
		return "", err
	}
	return checkout(clone, b.work, repo, commit)
}

var errNotKept = errors.New("not analysed by this opvet yet")

// analyse returns how the module loads and what opvet says about it, from the
// cache where that is known.
func (b *bench) analyse(dir, mod, repo, commit string) (*module, *analysis, error) {
	path := filepath.Join(dir, mod)
	var m module
	state := []string{repo, commit, mod, fmt.Sprint(b.fixup)}
	if b.source {
		state = append(state, "source")
	}
	stateFile := b.cacheFile("load", state...)
	if !readJSON(stateFile, &m) {
		if b.keptOnly {
			return nil, nil, errNotKept
		}
		b.progress("  %s: fetching what %s needs", repo, filepath.ToSlash(filepath.Join(repo, mod)))
		prepared, err := prepareModule(path, b.source, b.fixup)
		if err != nil {
			return nil, nil, err
		}
		m = *prepared
		if err := writeJSON(stateFile, m); err != nil {
			return nil, nil, err
		}
	}
	var a analysis
	// The whole module is analysed rather than the case's package alone: what
	// importing packages do, such as registering a handler, is evidence.
	resultFile := b.cacheFile("run", repo, commit, mod, b.hash, m.Mode, fmt.Sprint(m.Fixups))
	if readJSON(resultFile, &a) {
		m.leave(a.Left)
		return &m, &a, nil
	}
	if b.keptOnly {
		return nil, nil, errNotKept
	}
	start := time.Now()
	if b.source {
		found, err := b.fromSource(&m, dir, path)
		if err != nil {
			return nil, nil, err
		}
		a = *found
		m.leave(a.Left)
	} else {
		out, err := b.opvet(path, m.environ(path))
		if err != nil {
			return nil, nil, err
		}
		if a.Findings, a.Failures, err = parseFindings(out, dir, path); err != nil {
			return nil, nil, fmt.Errorf("reading the output of opvet -json: %w", err)
		}
	}
	b.progress("  %d findings in %.1f s", len(a.Findings), time.Since(start).Seconds())
	return &m, &a, writeJSON(resultFile, a)
}

// opvet runs the binary over all packages of the module in dir.
func (b *bench) opvet(dir string, env []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.binary, "-json", "-harm=hygiene", "./...")
	cmd.Dir, cmd.Env = dir, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil && stdout.Len() > 0 {
		// It tells by its status that there are findings, or that some
		// packages did not compile; which ones is known already.
		return stdout.Bytes(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("opvet in %s: %w: %s", dir, err, tail(stderr.String(), 600))
	}
	return stdout.Bytes(), nil
}

// cacheFile names the file that keeps a result which depends on all of inputs
// and on the Go release.
func (b *bench) cacheFile(kind string, inputs ...string) string {
	data, _ := json.Marshal(append(inputs, runtime.Version())) // strings always marshal
	sum := sha256.Sum256(data)
	return filepath.Join(b.work, ".cache", kind+"-"+hex.EncodeToString(sum[:16])+".json")
}

// readJSON reports whether the file was there and whole.
func readJSON(file string, value any) bool {
	data, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(data, value) == nil
}

func writeJSON(file string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}
