package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestDriversAgree runs the suite over all cases of testdata in every driver,
// with the harm that is reported by default and with all of it: the findings
// must be the same, one to one. The standalone driver alone has the whole module: it
// knows of some that they do no harm, which it does not print by default, and of others that they
// do, which the others do not print.
func TestDriversAgree(t *testing.T) {
	t.Parallel()
	for _, harm := range []string{"", "hygiene"} {
		t.Run(harm, func(t *testing.T) {
			t.Parallel()
			driversAgree(t, harm)
		})
	}
}

// driversAgree compares the drivers' findings of a harm, by default that of the
// flag.
func driversAgree(t *testing.T, harm string) {
	dir := copyModule(t)
	config := read(t, filepath.Join(root, ".golangci.example.yml"))
	exe, flags := gopls, []string(nil)
	if harm != "" {
		config = strings.Replace(config, "harm: load", "harm: "+harm, 1)
		exe, flags = allGopls, []string{"-harm=" + harm}
	}
	write(t, filepath.Join(dir, ".golangci.yml"), config)
	alone := lines(standalone(t, dir, flags...))
	// What is on trial is hygiene anyway, but for these.
	less, more := settled(t, dir, "-ctxdone.strict", "-detachedctx.strict")
	for what, c := range map[string]struct{ got, want []string }{
		"less harm": {lines(less), []string{"if Once stops receiving", "if main stops receiving", "if Start stops receiving", "if AtStart stops receiving", "if Monitored stops receiving", "if Unused stops receiving", "if NewRequestWithContext under context.Background() hangs",
			// Some other case puts a finalizer on the owner.
			"cleaned.go:52:18: never garbage-collected", "mistakes.go:31:9: never garbage-collected", "mistakes.go:36:9: never garbage-collected", "mistakes.go:44:9: never garbage-collected", "mistakes.go:50:2: SetOwnerReference fails", "mistakes.go:58:19: never garbage-collected",
			// Some other package takes a finalizer of that kind off.
			"exported.go:19:18: if Spec.Replicas says otherwise",
			// No case is seen to put a finalizer on that kind.
			"webhookdelete/registered/registered.go:18:18: an object", "webhookdelete/unregistered/unregistered.go:50:15: an object"}},
		"more harm": {lines(more), []string{"Tags runs under context.Background()"}},
	} {
		for _, text := range c.want {
			if !slices.ContainsFunc(c.got, func(f string) bool { return strings.Contains(f, text) }) {
				t.Errorf("the whole module does not settle that %s comes of %q", what, text)
			}
		}
		if len(c.got) != len(c.want) {
			t.Errorf("of what the whole module settles, %s comes of %q, want %q", what, c.got, c.want)
		}
	}
	less, more = settled(t, dir)
	alone = slices.DeleteFunc(alone, func(f string) bool {
		// Others have it as hygiene.
		return harm == "" && slices.Contains(lines(more), f)
	})
	if harm == "" {
		alone = append(alone, lines(less)...)
	}
	slices.Sort(alone)
	if len(alone) < 500 {
		t.Errorf("only %d findings in all of testdata", len(alone))
	}
	for _, driver := range []struct {
		name     string
		findings func(t *testing.T) []string
	}{
		{"go vet", func(t *testing.T) []string {
			args := slices.Concat([]string{"vet", "-vettool=" + opvet(t)}, flags, []string{"./..."})
			return vetLines(run(t, dir, "go", args...).want(t, 1).stderr)
		}},
		{"golangci-lint", func(t *testing.T) []string {
			return lines(newLinter(t).run(t, dir).findings["opvet"])
		}},
		{"gopls", func(t *testing.T) []string { return goplsFindings(t, exe(t), dir) }},
	} {
		t.Run(driver.name, func(t *testing.T) {
			got, want := driver.findings(t), alone
			if driver.name == "golangci-lint" {
				want = slices.DeleteFunc(slices.Clone(want), isNolintlints)
			}
			slices.Sort(got)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("findings (-opvet +%s):\n%s", driver.name, diff)
			}
		})
	}
}

// isNolintlints recognises the findings that are left to golangci-lint's
// nolintlint there.
func isNolintlints(finding string) bool {
	return strings.Contains(finding, "since opvet finds nothing now") && strings.HasSuffix(finding, "(unusedignore/unused)")
}
