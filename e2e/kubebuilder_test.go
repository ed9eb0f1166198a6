//go:build kubebuilder

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// kubebuilder is the tool of that name.
var kubebuilder = program("kubebuilder", "e2e/kubebuilder", "sigs.k8s.io/kubebuilder/v4")

// TestKubebuilder brings opvet into an operator that kubebuilder has just made, in each
// way that docs/adopt.md shows, and runs what CI would run then.
func TestKubebuilder(t *testing.T) {
	// golangci-lint custom builds with this flag; with it everywhere, most is compiled once.
	env := append(user(t), "GOFLAGS=-trimpath")
	operator := scaffold(t, env)

	t.Run("command", func(t *testing.T) {
		dir := adopt(t, operator, env, "The command", map[string]int{"opvet": 1})
		step := ciStep(t, dir, func(s ciStepFile) bool { return s.Name == "opvet" })
		r := start(t, dir, env, "bash", "-e", "-c", step.Run).want(t, 1)
		if !regexp.MustCompile(`(?m)^::error file=internal/controller/memcached_controller\.go,.*title=` + mistake).MatchString(r.stdout) {
			t.Errorf("CI prints\n%s\n%s", r.stdout, r.stderr)
		}
	})
	t.Run("action", func(t *testing.T) {
		dir := adopt(t, operator, env, "The GitHub Action", map[string]int{"opvet": 1})
		step := ciStep(t, dir, func(s ciStepFile) bool { return strings.HasPrefix(s.Uses, "opvet/opvet@") })
		action := newRunner(t, dir, env)
		action.script(t, "install", "", step.With, 0)
		r := action.script(t, "analyse", "", step.With, 0)
		if !strings.Contains(r.stdout, "title="+mistake) || !strings.Contains(read(t, action.outputs), "status=1\n") || !strings.Contains(read(t, action.summary), mistake) {
			t.Errorf("the action prints\n%s\n%s\nand sums up\n%s", r.stdout, r.stderr, read(t, action.summary))
		}
	})
	t.Run("golangci-lint", func(t *testing.T) {
		env := withGolangciLint(t, operator, env)
		dir := adopt(t, operator, env, "golangci-lint", map[string]int{"rm": 2})
		page := read(t, filepath.Join(root, "docs/golangci-lint.md"))
		for name, file := range map[string]string{".custom-gcl.yml": "  - module: ", ".golangci.yml": "      opvet:"} {
			lines := strings.ReplaceAll(fragment(t, page, file), "v0.1.0", publishedVersion(t))
			if !strings.Contains(read(t, filepath.Join(dir, name)), lines) {
				t.Errorf("%s lacks what docs/golangci-lint.md says:\n%s", name, lines)
			}
		}
		step := ciStep(t, dir, func(s ciStepFile) bool { return s.Run == "make lint" })
		wantLint(t, start(t, dir, env, "bash", "-e", "-c", step.Run).want(t, 2))

		// The other way of the page: the linter as a tool, with the same settings.
		for line := range strings.Lines(fragment(t, page, "go mod init -modfile")) {
			line = strings.TrimSpace(line)
			t.Log(line)
			r := start(t, dir, env, "bash", "-e", "-c", line)
			if strings.HasPrefix(line, "go tool ") {
				wantLint(t, r.want(t, golangciFindings))
				continue
			}
			r.want(t, 0)
		}
	})
}

// mistake is what the scaffolded operator does wrong, once it does something.
const mistake = "statusupdate/dropped-by-update"

// wantLint checks that a run of golangci-lint has the mistake, and that logcheck, which
// kubebuilder had there before, is at work.
func wantLint(t *testing.T, r result) {
	t.Helper()
	for _, linter := range []string{`\(` + mistake + `\) \(opvet\)`, `\(logcheck\)`} {
		if !regexp.MustCompile(`(?m)^internal/controller/memcached_controller\.go:\d+:\d+: .* ?` + linter + `$`).MatchString(r.stdout) {
			t.Errorf("no finding of %s:\n%s\n%s", linter, r.stdout, r.stderr)
		}
	}
}

// withGolangciLint tells git to clone golangci-lint, in the version that the operator
// names, from a repository that is made from its published module.
func withGolangciLint(t *testing.T, operator string, env []string) []string {
	t.Helper()
	version := regexp.MustCompile(`(?m)^version: (v[0-9.]+)$`).FindStringSubmatch(read(t, filepath.Join(operator, ".custom-gcl.yml")))
	if version == nil {
		t.Fatal("the operator names no version of golangci-lint")
	}
	var module struct{ Dir string }
	r := start(t, t.TempDir(), env, "go", "mod", "download", "-json", "github.com/golangci/golangci-lint/v2@"+version[1]).want(t, 0)
	if err := json.Unmarshal([]byte(r.stdout), &module); err != nil {
		t.Fatal(err)
	}
	return append(slices.Clip(env),
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url.file://"+filepath.ToSlash(repository(t, module.Dir, version[1]))+".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/golangci/golangci-lint.git",
	)
}

// scaffold makes an operator with one kind, whose reconciler makes a mistake.
func scaffold(t *testing.T, env []string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "memcached-operator")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"init --domain example.com --repo example.com/memcached-operator --skip-go-version-check",
		"create api --group cache --version v1alpha1 --kind Memcached --resource --controller",
	} {
		start(t, dir, env, kubebuilder(t), strings.Fields(args)...).want(t, 0)
	}
	controller := filepath.Join(dir, "internal/controller/memcached_controller.go")
	replace(t, controller, "	_ = logf.FromContext(ctx)\n\n	// TODO(user): your logic here\n", `	log := logf.FromContext(ctx)

	var memcached cachev1alpha1.Memcached
	if err := r.Get(ctx, req.NamespacedName, &memcached); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	log.Info("reconciling", "generation")
	meta.SetStatusCondition(&memcached.Status.Conditions, metav1.Condition{Type: "Available", Status: metav1.ConditionTrue, Reason: "Reconciled"})
	if err := r.Update(ctx, &memcached); err != nil {
		return ctrl.Result{}, err
	}
`)
	replace(t, controller, "	\"k8s.io/apimachinery/pkg/runtime\"\n", `	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
`)
	git(t, dir, "init", "--quiet", "-b", "main")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "-m", "kubebuilder")
	return dir
}

// adopt runs the commands of a section of docs/adopt.md in a copy of the operator, as a
// user would. A command ends with the status that its first word stands for, or 0.
func adopt(t *testing.T, operator string, env []string, section string, statuses map[string]int) string {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "operator")
	if err := os.CopyFS(dir, os.DirFS(operator)); err != nil {
		t.Fatal(err)
	}
	git(t, top, "init", "--quiet", "--bare", "origin")
	git(t, dir, "remote", "add", "origin", filepath.Join(top, "origin"))
	git(t, dir, "push", "--quiet", "--set-upstream", "origin", "main")

	_, text, found := strings.Cut(read(t, filepath.Join(root, "docs/adopt.md")), "\n### "+section+"\n")
	_, text, opened := strings.Cut(text, "```sh\n")
	text, _, closed := strings.Cut(text, "```")
	if !found || !opened || !closed {
		t.Fatalf("docs/adopt.md has no commands under %q", section)
	}
	commands := regexp.MustCompile(`(?ms)^[^\n]*<<'END'\n.*?^END$|^[^\n]+$`).FindAllString(text, -1)
	if len(commands) != 5 {
		t.Errorf("%q has %d commands, want five: %q", section, len(commands), commands)
	}
	identity := []string{"GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@example.com", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@example.com"}
	for _, command := range commands {
		t.Log(command)
		// The release is the one that the tests' proxy has.
		command = strings.ReplaceAll(command, "v0.1.0", publishedVersion(t))
		first, _, _ := strings.Cut(command, " ")
		r := start(t, dir, slices.Concat(env, identity), "bash", "-c", command).want(t, statuses[first])
		if statuses[first] != 0 && !strings.Contains(r.stdout, mistake) {
			t.Errorf("%s prints\n%s\n%s", command, r.stdout, r.stderr)
		}
	}
	if out, err := exec.Command("git", "-C", dir, "status", "--porcelain", "--branch").Output(); err != nil || string(out) != "## main...origin/main\n" {
		t.Errorf("not all is committed and pushed: %v\n%s", err, out)
	}
	return dir
}

// ciStepFile is a step of a workflow.
type ciStepFile struct {
	Name, Run, Uses string
	With            map[string]string
}

// ciStep returns the one step of the workflows, in any file, that is wanted.
func ciStep(t *testing.T, dir string, wanted func(ciStepFile) bool) ciStepFile {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".github/workflows/*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []ciStepFile
	for _, name := range files {
		var file struct {
			Jobs map[string]struct{ Steps []ciStepFile }
		}
		if err := yaml.Unmarshal([]byte(read(t, name)), &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, job := range file.Jobs {
			steps = append(steps, job.Steps...)
		}
	}
	steps = slices.DeleteFunc(steps, func(s ciStepFile) bool { return !wanted(s) })
	if len(steps) != 1 {
		t.Fatalf("the workflows have %d such steps", len(steps))
	}
	return steps[0]
}

// fragment returns the lines of the page's block of code in which a text stands.
func fragment(t *testing.T, page, with string) string {
	t.Helper()
	for _, match := range regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$|(?:^    [^\n]+\n)+").FindAllStringSubmatch(page, -1) {
		block := match[1]
		if block == "" {
			block = match[0]
		}
		if strings.Contains(block, with) {
			return block
		}
	}
	t.Fatalf("the page has no block with %q", with)
	return ""
}
