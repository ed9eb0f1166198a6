package driver

import (
	"encoding/gob"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/opvet/opvet/internal/driver/settings"
	"github.com/opvet/opvet/internal/report/guard"
)

// isVetTool reports whether the arguments are those by which go vet calls its
// tool: -V=full, -flags, or flags followed by the description of a unit.
func isVetTool(args []string) bool {
	if len(args) == 1 && (args[0] == "-V=full" || args[0] == "-flags") {
		return true
	}
	if len(args) == 0 || !strings.HasSuffix(args[len(args)-1], ".cfg") {
		return false
	}
	info, err := os.Stat(args[len(args)-1])
	return err != nil || !info.IsDir() // a package may have such a name
}

// vetTool does the work of a vet tool and ends the process.
func vetTool(analyzers []*analysis.Analyzer) {
	flag.BoolFunc("test", "report findings in test files too", func(value string) error {
		return settings.SetAll(analyzers, "tests", value, settings.None)
	})
	flag.Func("harm", "report findings of this `harm` and worse: crash, loss, stuck, leak, load or hygiene", func(value string) error {
		return settings.SetHarm(analyzers, value, func(a *analysis.Analyzer) bool { return isGiven(a.Name + ".harm") })
	})
	groupFlags(analyzers)
	configFlag(analyzers)
	if unit, ok := readUnit(os.Args[len(os.Args)-1]); ok && !unit.isUsers() {
		registerFacts(analyzers)
		analyzers = idle(analyzers)
	}
	paceGC()
	unitchecker.Main(analyzers...)
}

// groupFlags defines flags for the groups. They work through the flags of the
// analyzers, which unitchecker defines later; those that are given themselves
// count more.
func groupFlags(analyzers []*analysis.Analyzer) {
	for _, group := range settings.Groups(analyzers) {
		flag.BoolFunc(group, "enable only the analyzers of this group", func(value string) error {
			for _, a := range settings.InGroup(analyzers, group) {
				if isGiven(a.Name) {
					continue
				}
				if err := flag.Set(a.Name, value); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// isGiven reports whether the command line has a flag, wherever it stands.
func isGiven(name string) bool {
	return slices.ContainsFunc(os.Args[1:], func(arg string) bool {
		given, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return given == name && strings.HasPrefix(arg, "-")
	})
}

// readUnit reads the description of a unit. Whether it is sound is for
// unitchecker to say.
func readUnit(name string) (*unit, bool) {
	if !strings.HasSuffix(name, ".cfg") {
		return nil, false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	u := new(unit)
	return u, json.Unmarshal(data, u) == nil
}

// unit is what matters here of unitchecker's Config.
type unit struct {
	ImportPath    string
	ModulePath    string // until Go 1.28
	ModuleVersion string // until Go 1.28
	Module        *analysis.Module
}

// isUsers reports whether the unit belongs to the user's own modules; go vet
// hands over every package of the build.
func (u *unit) isUsers() bool {
	if m := u.Module; m != nil {
		return m.Main || m.Version == ""
	}
	if u.ModulePath != "" {
		return u.ModuleVersion == ""
	}
	return isUserPath(u.ImportPath)
}

// idle returns analyzers with the same names and flags, so that the command
// line means the same, that do nothing.
func idle(analyzers []*analysis.Analyzer) []*analysis.Analyzer {
	var idlers []*analysis.Analyzer
	for _, a := range analyzers {
		idlers = append(idlers, &analysis.Analyzer{
			Name: a.Name, Doc: a.Doc, URL: a.URL, Flags: a.Flags,
			Run: func(*analysis.Pass) (any, error) { return nil, nil },
		})
	}
	return idlers
}

// registerFacts makes known to gob the facts of analyzers, and of what they require, which may
// be read although none of these is run.
func registerFacts(analyzers []*analysis.Analyzer) {
	for _, a := range guard.Passes(analyzers) {
		for _, fact := range a.FactTypes {
			gob.Register(fact)
		}
	}
}
