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
	dir := copyModule(t) // one for all, since to compile it takes minutes
	// What is on trial is hygiene anyway, but for these.
	less, more := settled(t, dir, diagnostics(t, dir, "-harm=hygiene", "-ctxdone.strict", "-detachedctx.strict"))
	for what, c := range map[string]struct{ got, want []string }{
		"less harm": {less, []string{"if Once stops receiving", "if main stops receiving", "if Start stops receiving", "if AtStart stops receiving", "if Monitored stops receiving", "if Unused stops receiving", "if NewRequestWithContext under context.Background() hangs",
			// Some other case puts a finalizer on the owner.
			"cleaned.go:52:18: never garbage-collected", "mistakes.go:31:9: never garbage-collected", "mistakes.go:36:9: never garbage-collected", "mistakes.go:44:9: never garbage-collected", "mistakes.go:50:2: SetOwnerReference fails", "mistakes.go:58:19: never garbage-collected",
			// Some other package takes a finalizer of that kind off.
			"exported.go:19:18: if Spec.Replicas says otherwise",
			// No case is seen to put a finalizer on that kind.
			"webhookdelete/registered/registered.go:18:18: an object", "webhookdelete/unregistered/unregistered.go:50:15: an object"}},
		"more harm": {more, []string{"Tags runs under context.Background()"}},
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

	all := diagnostics(t, dir, "-harm=hygiene")
	less, more = settled(t, dir, all)
	var printed []string
	for _, d := range all {
		printed = append(printed, d.located(t, dir).String())
	}
	byDefault := slices.DeleteFunc(lines(standalone(t, dir)), func(f string) bool {
		return slices.Contains(more, f) // others have it as hygiene
	})
	byDefault = append(byDefault, less...)
	// One after the other, since all have the one copy and its configuration.
	for _, c := range []struct {
		harm  string
		flags []string
		gopls func(*testing.T) string
		want  []string
	}{
		{"load", nil, gopls, byDefault},
		{"hygiene", []string{"-harm=hygiene"}, allGopls, printed},
	} {
		slices.Sort(c.want)
		if len(c.want) < 500 {
			t.Errorf("only %d findings in all of testdata", len(c.want))
		}
		t.Run(c.harm+"/go vet", func(t *testing.T) {
			args := slices.Concat([]string{"vet", "-vettool=" + opvet(t)}, c.flags, []string{"./..."})
			agree(t, c.want, vetLines(run(t, dir, "go", args...).want(t, 1).stderr))
		})
		t.Run(c.harm+"/golangci-lint", func(t *testing.T) {
			config := filepath.Join(dir, ".golangci.yml")
			write(t, config, read(t, filepath.Join(root, ".golangci.example.yml")))
			replace(t, config, "harm: load", "harm: "+c.harm)
			want := slices.DeleteFunc(slices.Clone(c.want), isNolintlints)
			agree(t, want, lines(newLinter(t).run(t, dir).findings["opvet"]))
		})
		t.Run(c.harm+"/gopls", func(t *testing.T) { agree(t, c.want, goplsFindings(t, c.gopls(t), dir)) })
	}
}

// agree compares what opvet itself finds with what another driver does.
func agree(t *testing.T, want, got []string) {
	t.Helper()
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-opvet +other):\n%s", diff)
	}
}

// settled returns those of the findings, which are all that opvet has, that do less harm than
// others have to expect, and those that do more: the whole module has told that.
func settled(t *testing.T, dir string, all []diagnostic) (less, more []string) {
	t.Helper()
	for _, d := range all {
		switch {
		case d.Settled == "":
		case d.Harm == "hygiene":
			less = append(less, d.located(t, dir).String())
		default:
			more = append(more, d.located(t, dir).String())
		}
	}
	return less, more
}

// isNolintlints recognises the findings that are left to golangci-lint's
// nolintlint there.
func isNolintlints(finding string) bool {
	return strings.Contains(finding, "since opvet finds nothing now") && strings.HasSuffix(finding, "(unusedignore/unused)")
}
