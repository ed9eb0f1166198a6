package driver

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/config"
	"github.com/opvet/opvet/internal/report/rule"
)

// configFlag defines the flag of go vet that names a file of settings. Other flags
// count more.
func configFlag(analyzers []*analysis.Analyzer) {
	flag.Func("config", "read the settings from this `file`, named in full", func(name string) error {
		if !filepath.IsAbs(name) {
			return errors.New("go vet runs its tool elsewhere; name the file in full, as in -config=$PWD/.opvet.yml")
		}
		file, err := config.Load(analyzers, name)
		if err != nil {
			return err
		}
		enabled, err := file.Select(analyzers)
		if err != nil {
			return err
		}
		chosen := slices.ContainsFunc(analyzers, func(a *analysis.Analyzer) bool { return isGiven(a.Name) || isGiven(rule.Of(a).Group) })
		if !chosen && len(enabled) < len(analyzers) {
			for _, a := range enabled {
				if err := flag.Set(a.Name, "true"); err != nil {
					return err
				}
			}
		}
		leaveOut(analyzers, file)
		return file.Apply(analyzers, func(name string) bool {
			return isGiven(name) || isGiven("harm") && strings.HasSuffix(name, ".harm") || isGiven("test") && strings.HasSuffix(name, ".tests")
		})
	})
}

// leaveOut makes the analyzers report nothing where the settings exclude it.
func leaveOut(analyzers []*analysis.Analyzer, file *config.Config) {
	for _, a := range analyzers {
		run := a.Run
		a.Run = func(pass *analysis.Pass) (any, error) {
			report := pass.Report
			pass.Report = func(d analysis.Diagnostic) {
				if file.Excludes(a, d.Category, pass.Fset.Position(d.Pos).Filename) == nil {
					report(d)
				}
			}
			return run(pass)
		}
	}
}

// printVetVersion answers -V=full, by which the go command knows whether what it has
// in its cache was made by the same tool. The settings are part of the tool: it
// does not know of the file otherwise.
func printVetVersion(out io.Writer) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	sum := sha256.New()
	files := []string{exe}
	if name, found := config.Find(workingDir()); found {
		files = append(files, name)
	}
	for _, name := range files {
		if err := addFile(sum, name); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "opvet version devel settings and all buildID=%02x\n", sum.Sum(nil))
	return err
}

func addFile(to io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(to, file)
	return err
}
