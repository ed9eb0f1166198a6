package driver

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/opvet/opvet/internal/driver/revision"
	"github.com/opvet/opvet/internal/passes/processes"
	"github.com/opvet/opvet/internal/report/rule"
)

// settler settles what findings depend on, once all packages of the module are done.
type settler struct {
	units  []*unitResult
	module string // its path, if the whole of it is there
	dir    string
	// program is made when a finding asks for it.
	program *processes.Program
	asked   bool
	// lacks tells that packages of the module do not compile: what the others do is known, and who
	// runs them is not.
	lacks bool
	// imported tells that another module of the repository requires this one, importers are the folders
	// of those that do.
	imported  bool
	importers []string
	open      []Finding // of which nobody can tell
	took      time.Duration
}

func (p *Program) newSettler(units []*unitResult) *settler {
	s := &settler{units: units, lacks: p.lacks}
	if !p.whole {
		return s
	}
	for _, pkg := range p.roots {
		if m := pkg.Module; m != nil && m.Main && p.wanted[pkg.ID] {
			s.module, s.dir = m.Path, m.Dir
			break
		}
	}
	return s
}

// byServer is what settles a finding that the rule did not expect.
const byServer = "a server runs it"

// settle reports whether a finding is one, and makes hygiene of it if the whole module
// tells that it does no more harm.
func (s *settler) settle(f *Finding, condition *rule.Condition) bool {
	if condition == nil || f.Harm == rule.Hygiene && !condition.Unlikely && condition.Served == 0 && condition.Proven == 0 && len(condition.Several) == 0 {
		return true
	}
	start := time.Now()
	defer func() { s.took += time.Since(start) }()
	runner := processes.Unknown
	program := s.link()
	rest := program // without what does not compile
	if s.lacks {
		program = nil
	}
	if proven := condition.Proven != 0 && program != nil && !s.imported && program.All(condition.Method, condition.Property); proven {
		f.Harm, f.Settled = max(f.Harm, condition.Proven), "all that the module has of the interface do so"
		f.Proven = true
	} else if condition.OnlyProven || len(condition.Several) > 0 && (rest == nil || !rest.HandsSeveral(condition.Several)) {
		return false
	}
	switch {
	case condition.Finalized != "" && rest != nil && !s.finalizes(rest, condition.Finalized):
		f.Harm, f.Settled = rule.Hygiene, "nothing is seen to put a finalizer on it"
		return true
	case condition.CleanedUp != "" && rest != nil && rest.PutsFinalizers(condition.CleanedUp):
		f.Harm, f.Settled = rule.Hygiene, "the module puts a finalizer on the owner"
		return true
	case condition.StatusOf != "" && rest != nil && !s.imported && !rest.MentionsStatus(condition.StatusOf):
		f.Harm, f.Settled = rule.Hygiene, "nothing in the module sets or reads the status of the kind"
		return true
	case program == nil:
		s.open = append(s.open, *f)
	case len(condition.Places) > 0 && program.Leaves(condition.Program, condition.Places):
		f.Harm, f.Settled = rule.Hygiene, "the program does not run it"
		return true
	case condition.Given != "" && program.NeverEnds(condition.Given):
		f.Harm, f.Settled = rule.Hygiene, "all callers in the module make the context up"
		return true
	case condition.Here != "" && program.TakenOffElsewhere(condition.Removed, condition.RemovedOf, condition.Here):
		f.Harm, f.Settled = rule.Hygiene, "another package of the module takes the finalizer off"
		return true
	case condition.Func != "":
		runner = program.Of(condition.Func)
		f.Programs, f.InAll = s.programs(condition.Func)
	}
	switch {
	case runner == processes.Nobody && !condition.Unlikely:
		f.Dead = condition.Func
		f.Harm, f.Settled = rule.Hygiene, "nothing in the module runs it, tests aside"
	case runner == processes.Unknown && !condition.Unlikely && program != nil && program.Unused(condition.Func) && isTested(f.Posn.Filename):
		f.Dead = condition.Func
		f.Harm, f.Settled = rule.Hygiene, "nothing but its own tests imports the package"
	case runner == processes.Command && !condition.Unlikely && condition.Kind >= rule.ReachedFromServer:
		f.Harm, f.Settled = rule.Hygiene, "only processes that end by themselves run it"
		if names := s.program.Commands(condition.Func); len(names) > 0 {
			f.Settled = fmt.Sprintf("only processes that end by themselves run it (%s)", strings.Join(names, ", "))
		}
	case condition.Kind == rule.RunsRepeatedly && f.Harm != rule.Hygiene && program != nil && program.RunsOnce(condition.Func):
		f.Harm, f.Settled = rule.Hygiene, "each process runs it once"
	case runner == processes.Server && condition.Served != 0:
		f.Harm, f.Settled = condition.Served, byServer
	case condition.Unlikely && runner == processes.Server:
		f.Settled = byServer
	case condition.Unlikely:
		return false
	}
	return true
}

// programs names the programs that may run a function, by their directories in the module, if the
// module has several, and tells whether these are all.
func (s *settler) programs(fn string) (dirs []string, all bool) {
	mains, of := s.program.Mains(fn)
	if of < 2 {
		return nil, false
	}
	for i, main := range mains {
		if mains[i] = strings.TrimPrefix(strings.TrimPrefix(main, s.module), "/"); mains[i] == "" {
			mains[i] = path.Base(s.module)
		}
	}
	return mains, len(mains) == of
}

// tell adds what rules have said of the package's functions to its summary.
func (u *unitResult) tell() {
	if u.summary == nil {
		return
	}
	for _, outcome := range u.outcomes {
		for property, fns := range outcome.Told() {
			if u.summary.Told == nil {
				u.summary.Told = make(map[string][]string)
			}
			u.summary.Told[property] = append(u.summary.Told[property], fns...)
		}
	}
	for _, fns := range u.summary.Told {
		slices.Sort(fns)
	}
}

// link puts together what there is of the module; nil if not all of it was asked for.
func (s *settler) link() *processes.Program {
	if s.asked || s.module == "" {
		return s.program
	}
	s.asked = true
	var summaries []*processes.Summary
	seen := make(map[string]bool)
	for _, unit := range s.units {
		summary := unit.summary
		if summary == nil {
			summary = new(processes.Summary)
			if gob.NewDecoder(bytes.NewReader(unit.encoded)).Decode(summary) != nil {
				return nil
			}
		}
		// Of a package with tests there is a second one that has no more outside of them.
		if !seen[summary.Path] {
			seen[summary.Path] = true
			summaries = append(summaries, summary)
		}
	}
	s.importers = importersOf(s.dir, s.module)
	s.imported = len(s.importers) > 0
	s.program = processes.Link(summaries, processes.Options{Imported: s.imported, Aside: rule.IsAside})
	return s.program
}

// isTested reports whether there are tests beside a file.
func isTested(file string) bool {
	tests, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*_test.go"))
	return len(tests) > 0
}

// importersOf returns the folders of the repository's other modules that require the one in dir, but
// for examples, tests and the like, which tell nothing of what servers run.
func importersOf(dir, module string) []string {
	var found []string
	root := dir
	if repository, ok := revision.Find(dir); ok {
		root = repository.Top()
	}
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return filepath.SkipDir
		case entry.IsDir():
			if name != root && isAside(entry.Name()) {
				return filepath.SkipDir
			}
		case entry.Name() == "go.mod" && filepath.Dir(name) != dir:
			if data, err := os.ReadFile(name); err == nil && requires(data, module) {
				found = append(found, filepath.Dir(name))
			}
		}
		return nil
	})
	return found
}

// requires reports whether a go.mod file requires a module.
func requires(file []byte, module string) bool {
	parsed, err := modfile.ParseLax("go.mod", file, nil)
	return err == nil && slices.ContainsFunc(parsed.Require, func(r *modfile.Require) bool { return r.Mod.Path == module })
}
