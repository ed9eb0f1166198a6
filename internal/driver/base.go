package driver

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/opvet/opvet/internal/driver/baseline"
	"github.com/opvet/opvet/internal/driver/cache"
)

// base is what was found at a revision.
type base struct {
	entries  []baseline.Entry // files are named from the top of the repository
	problems int
}

// analyseBase analyses the packages as they were at the revision, in a copy of it that
// is removed afterwards. What was found is kept for the next time.
func (c *command) analyseBase(s *since, progress *progress) (base, error) {
	kept := c.baseCache(s)
	if entries, err := baseline.Read(kept); err == nil {
		return base{entries: entries}, nil
	}
	progress.phase("analysing " + c.newFrom + " to see which findings are new")
	dir, release, err := s.placeForCopy(kept)
	if err != nil {
		return base{}, err
	}
	defer release()
	if err := s.repository.Export(s.changes.Revision(), dir); err != nil {
		return base{}, err
	}
	found, err := c.analyseCopy(s, dir)
	if err == nil && found.problems == 0 {
		keepBase(kept, found.entries)
	}
	return found, err
}

// placeForCopy returns an empty directory, and what removes it. It is the same for each
// revision of a repository, since the go command compiles packages again that
// stand elsewhere; one process at a time has it. Its last element is that of the repository,
// since messages and facts name a file by its folder.
func (s *since) placeForCopy(kept string) (dir string, release func(), err error) {
	dir = filepath.Join(filepath.Dir(kept), fmt.Sprintf("%x", sha256.Sum256([]byte(s.repository.Top())))[:16])
	unlock := func() {}
	if kept != "" && os.MkdirAll(dir, 0o777) == nil {
		if unlock, err = lockedfile.MutexAt(dir + ".lock").Lock(); err != nil {
			return "", nil, err
		}
		// Another process may have been interrupted, or have removed it.
		err = errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777))
	} else {
		dir, err = os.MkdirTemp("", "opvet-base-")
	}
	outer := dir
	release = func() {
		os.RemoveAll(outer)
		unlock()
	}
	if err == nil {
		// Below a symbolic link, the go command would name files in another way.
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		dir = filepath.Join(dir, filepath.Base(s.repository.Top()))
		err = os.Mkdir(dir, 0o777)
	}
	if err != nil {
		release()
		return "", nil, err
	}
	return dir, release, nil
}

// analyseCopy analyses the copy of a revision.
func (c *command) analyseCopy(s *since, dir string) (base, error) {
	place := filepath.Join(dir, filepath.FromSlash(s.rel(workingDir())))
	patterns := patternsIn(place, c.flags.Args())
	if len(patterns) == 0 {
		return base{}, nil // all is new
	}
	program, err := untilInterrupted(c.load, LoadOptions{
		Dir: place, Patterns: patterns, Tests: c.tests, Tags: c.tags, Analyzers: c.printing(), place: cache.Copy{Dir: dir, Of: s.repository.Top()},
	})
	if err != nil {
		return base{}, err
	}
	result, err := program.Analyze(c.enabledAnalyzers())
	if err != nil {
		return base{}, err
	}
	entries := identify(result.all(), newSources(), func(file string) string { return filepath.ToSlash(relativeTo(dir, file)) })
	return base{entries, len(result.Problems)}, nil
}

// patternsIn returns the patterns that mean something in a directory, with the
// packages of files in place of these.
func patternsIn(dir string, patterns []string) []string {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	var there []string
	for _, pattern := range patterns {
		if filepath.IsAbs(pattern) {
			pattern = relativeTo(workingDir(), pattern)
			if !strings.HasPrefix(pattern, "..") {
				pattern = "." + string(filepath.Separator) + pattern
			}
		}
		if strings.HasSuffix(pattern, ".go") {
			pattern = "." + string(filepath.Separator) + filepath.Dir(pattern)
		}
		if strings.HasPrefix(pattern, ".") {
			if _, err := os.Stat(filepath.Join(dir, strings.TrimSuffix(pattern, "..."))); err != nil {
				continue
			}
		}
		there = append(there, pattern)
	}
	return there
}

// baseCache returns the name under which the findings of the revision are kept. It
// changes with all that they depend on, but for what is outside of the revision.
func (c *command) baseCache(s *since) string {
	dir, err := c.cacheDir()
	if err != nil || dir == "" {
		return "" // nothing is kept
	}
	sum := sha256.New()
	add := func(parts ...any) { fmt.Fprintf(sum, "%q\n", parts) }
	if exe, err := os.Executable(); err == nil {
		if info, err := os.Stat(exe); err == nil {
			add(exe, info.Size(), info.ModTime().UnixNano())
		}
	}
	add(runtime.Version(), s.repository.Top(), s.changes.Revision(), s.rel(workingDir()), c.flags.Args(), c.tests, c.tags)
	for _, name := range []string{"GOFLAGS", "GOOS", "GOARCH", "GOWORK", "GOEXPERIMENT", "GOTOOLCHAIN", "CGO_ENABLED", "PATH"} {
		add(name, os.Getenv(name))
	}
	add(c.salt(""))
	return filepath.Join(dir, "base", fmt.Sprintf("%x.json", sum.Sum(nil)))
}

// keepBase keeps what was found, and forgets what nobody has asked for lately. What
// cannot be kept is made again.
func keepBase(name string, entries []baseline.Entry) {
	const lately = 30 * 24 * time.Hour
	if name == "" || os.MkdirAll(filepath.Dir(name), 0o777) != nil {
		return
	}
	temporary := fmt.Sprintf("%s.%d", name, os.Getpid())
	if baseline.Write(temporary, entries) != nil || os.Rename(temporary, name) != nil {
		os.Remove(temporary)
		return
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*.json*"))
	if err != nil {
		return
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > lately {
			os.Remove(file)
		}
	}
}
