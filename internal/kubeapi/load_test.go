package kubeapi_test

import (
	"strings"
	"testing"

	"github.com/opvet/opvet/internal/ir/build"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const (
	current = "../../testdata"
	legacy  = "../../testdata/legacy"
)

// patterns are the packages that the tests ask about, by module: all are loaded at once.
var patterns = map[string][]string{
	current: {"./passes/clientops", "./passes/effects", "./passes/informerops", "./passes/kinds", "./workqueue/right"},
	legacy:  {"./passes/clientops", "./passes/informerops", "./workqueue"},
}

type loaded = passtest.Result[*build.SSA]

var modules = make(map[string]map[string]loaded)

// load returns the package of a module that matches one of the patterns.
func load(t *testing.T, dir, pattern string) loaded {
	t.Helper()
	if modules[dir] == nil {
		modules[dir] = passtest.Run[*build.SSA](t, build.Analyzer, dir, patterns[dir]...)
	}
	for path, result := range modules[dir] {
		if strings.HasSuffix(path, strings.TrimPrefix(pattern, ".")) {
			return result
		}
	}
	t.Fatalf("no package %s in %s", pattern, dir)
	return loaded{}
}
