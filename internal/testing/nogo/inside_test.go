package nogo

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestInside sees to it that no analyzer can run a program or reach the network:
// what that takes is not linked. Of the command's packages, revision runs git
// and the loader the go command; none uses the network.
func TestInside(t *testing.T) {
	list := func(args ...string) []string {
		out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
		if err != nil {
			t.Fatalf("go list %v: %v", args, err)
		}
		return strings.Fields(string(out))
	}
	deps := list("-deps", "github.com/opvet/opvet/analyzers", "github.com/opvet/opvet/plugin")
	for _, pkg := range []string{"net", "net/http", "os/exec", "plugin"} {
		if slices.Contains(deps, pkg) {
			t.Errorf("the analyzers are linked with %s", pkg)
		}
	}
	const module = "github.com/opvet/opvet/"
	for _, imported := range list("-f", `{{if .Module}}{{if .Module.Main}}{{.ImportPath}} {{range .Imports}}{{$.ImportPath}}:{{.}} {{end}}{{end}}{{end}}`, "-deps", module+"cmd/opvet") {
		pkg, imported, _ := strings.Cut(imported, ":")
		if imported == "net" || strings.HasPrefix(imported, "net/") && imported != "net/url" {
			t.Errorf("%s imports %s", pkg, imported)
		}
		// The driver runs git and the go command; nothing else runs anything.
		if imported == "os/exec" && !strings.HasPrefix(pkg, module+"internal/driver") {
			t.Errorf("%s imports %s", pkg, imported)
		}
	}
}
