package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// gitModule copies the demo operator into a git repository whose origin's main
// branch has it as it is, and returns the repository's top and the module, which
// lies in a folder of it.
func gitModule(t *testing.T) (top, module string) {
	t.Helper()
	module = copyModule(t, "demo")
	top = filepath.Dir(module)
	git(t, top, "init", "--quiet")
	git(t, top, "add", ".")
	git(t, top, "commit", "--quiet", "-m", "first")
	git(t, top, "update-ref", "refs/remotes/origin/main", "HEAD")
	return top, module
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	run(t, dir, "git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com"}, args...)...).want(t, 0)
}

// inPath is an environment in which opvet is in the PATH.
func inPath(t *testing.T, more ...string) []string {
	t.Helper()
	path := strings.TrimSpace(run(t, ".", "sh", "-c", "echo $PATH").want(t, 0).stdout)
	return append(more, "PATH="+filepath.Dir(opvet(t))+string(os.PathListSeparator)+path)
}

// sarifReport is what these tests look at in a report.
type sarifReport struct {
	Runs []struct {
		Results []struct {
			RuleID    string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           struct{ StartLine int }
				}
			}
			PartialFingerprints map[string]string
		}
	}
}

func readSarif(t *testing.T, name string) sarifReport {
	t.Helper()
	text := read(t, name)
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "internal/driver/testdata/sarif/sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("the report does not meet the schema: %v", err)
	}
	var report sarifReport
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// TestFormats writes all formats of the demo operator's findings in one run.
func TestFormats(t *testing.T) {
	t.Parallel()
	top, module := gitModule(t)
	exe := opvet(t)
	text := run(t, module, exe, "-format", "text", "-format", "sarif=out.sarif", "-format", "json=out.json", "-format", "github=out.txt", "./...").want(t, 1)
	want := vetLines(text.stdout)

	prefix, err := filepath.Rel(top, module)
	if err != nil {
		t.Fatal(err)
	}
	report := readSarif(t, filepath.Join(module, "out.sarif"))
	var messages []string
	prints := make(map[string]bool)
	for _, result := range report.Runs[0].Results {
		at := result.Locations[0].PhysicalLocation.ArtifactLocation
		if at.URIBaseID != "%SRCROOT%" || !strings.HasPrefix(at.URI, prefix+"/demo/") {
			t.Errorf("artifact %+v", at)
		}
		if !strings.HasSuffix(result.Message.Text, "("+result.RuleID+")") {
			t.Errorf("%s: %s", result.RuleID, result.Message.Text)
		}
		messages = append(messages, result.Message.Text)
		prints[result.PartialFingerprints["opvet/v2"]] = true
	}
	if len(messages) != len(want) || len(prints) != len(want) {
		t.Errorf("SARIF has %d results with %d fingerprints, text %d findings", len(messages), len(prints), len(want))
	}
	for _, message := range messages {
		if !strings.Contains(text.stdout, message) {
			t.Errorf("only SARIF has %s", message)
		}
	}
	annotations := regexp.MustCompile(`(?m)^::(?:error|warning|notice) file=`+regexp.QuoteMeta(prefix)+`/demo/\S+\.go,line=\d+,.*title=[a-z]+/[a-z-]+::`).
		FindAllString(read(t, filepath.Join(module, "out.txt")), -1)
	if len(annotations) != len(want) {
		t.Errorf("%d annotations, text has %d findings", len(annotations), len(want))
	}
	if got := run(t, module, exe, "-json", "./...").want(t, 1).stdout; got != read(t, filepath.Join(module, "out.json")) {
		t.Error("-json differs from -format json=FILE")
	}
}

// workflow is the workflow for GitHub Actions in docs/ci.md.
func workflow(t *testing.T) (commands map[string]string) {
	t.Helper()
	_, text, ok := strings.Cut(read(t, filepath.Join(root, "docs/ci.md")), "```yaml\nname: opvet\n")
	text, _, closed := strings.Cut(text, "```")
	var file struct {
		Jobs struct {
			Opvet struct {
				Steps []struct{ Name, Run string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &file); !ok || !closed || err != nil {
		t.Fatalf("docs/ci.md has no workflow: %v", err)
	}
	commands = make(map[string]string)
	for _, step := range file.Jobs.Opvet.Steps {
		commands[step.Name] = step.Run
	}
	return commands
}

// TestWorkflow runs the commands of the workflow in docs/ci.md as GitHub does.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	top, module := gitModule(t)
	commands, env := workflow(t), inPath(t, "GITHUB_BASE_REF=main")
	bash := func(step string) result {
		t.Helper()
		if commands[step] == "" {
			t.Fatalf("the workflow has no step %q", step)
		}
		return start(t, module, env, "bash", "-e", "-c", commands[step])
	}
	if out := bash("findings in what the pull request changes").want(t, 0).stdout; !strings.HasPrefix(out, "no findings in ") {
		t.Errorf("findings although nothing has changed:\n%s", out)
	}

	// A branch moves a file, which makes nothing new, and makes a mistake in
	// another, while main goes on.
	git(t, top, "checkout", "--quiet", "-b", "branch")
	git(t, module, "mv", "demo/internal/registry/registry.go", "demo/internal/registry/moved.go")
	replace(t, filepath.Join(module, "demo/internal/probe/probe.go"), "grace, cancel := context.WithTimeout(ctx, budget)", "grace, cancel := context.WithTimeout(ctx, 2*budget)")
	git(t, top, "commit", "--quiet", "--all", "-m", "second")
	out := bash("findings in what the pull request changes").want(t, 1).stdout
	if strings.Count(out, "\n::error ") != 1 || !strings.Contains(out, "\n  demo/internal/probe/probe.go:35:") || !regexp.MustCompile(`(?m)^::error file=\S+/probe\.go,line=35,.*title=nestedtimeout/already-done::`).MatchString(out) {
		t.Errorf("annotations:\n%s", out)
	}

	bash("all findings").want(t, 0)
	if n := len(readSarif(t, filepath.Join(module, "opvet.sarif")).Runs[0].Results); n < 20 {
		t.Errorf("%d findings", n)
	}
	write(t, filepath.Join(module, "demo/broken.go"), "package demo\n\nvar _ = nothing\n")
	bash("all findings").want(t, 1) // what could not be analysed is no success
}

// TestPreCommit runs the hooks as pre-commit does: at the top of the
// repository, with what is not staged out of the way.
func TestPreCommit(t *testing.T) {
	t.Parallel()
	var hooks []struct {
		ID, Name, Entry, Language string
		Types                     []string
		PassFilenames             *bool `yaml:"pass_filenames"`
	}
	decoder := yaml.NewDecoder(strings.NewReader(read(t, filepath.Join(root, ".pre-commit-hooks.yaml"))))
	if err := decoder.Decode(&hooks); err != nil {
		t.Fatal(err)
	}
	dir := copyModule(t, "demo")
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "-m", "first")
	results := make(map[string]result)
	check := func() {
		t.Helper()
		for _, hook := range hooks {
			if hook.Name == "" || hook.Language != "golang" || hook.PassFilenames == nil || *hook.PassFilenames || len(hook.Types) != 1 || hook.Types[0] != "go" {
				t.Errorf("hook %+v", hook)
			}
			// pre-commit splits the entry and runs it without a shell.
			words := strings.Fields(hook.Entry)
			if words[0] != "opvet" {
				t.Fatalf("hook %s runs %s", hook.ID, words[0])
			}
			results[hook.ID] = run(t, dir, opvet(t), words[1:]...)
		}
	}
	check()
	if len(hooks) != 2 || len(results) != 2 {
		t.Fatalf("hooks %+v", hooks)
	}
	if n := len(vetLines(results["opvet"].want(t, 1).stdout)); n < 20 {
		t.Errorf("opvet: %d findings", n)
	}
	if out := results["opvet-new"].want(t, 0).stdout; !strings.HasPrefix(out, "no findings in ") {
		t.Errorf("opvet-new finds without a change:\n%s", out)
	}
	replace(t, filepath.Join(dir, "demo/internal/probe/probe.go"), "grace, cancel := context.WithTimeout(ctx, budget)", "grace, cancel := context.WithTimeout(ctx, 2*budget)")
	git(t, dir, "add", ".")
	check()
	if found := vetLines(results["opvet-new"].want(t, 1).stdout); len(found) != 1 || !strings.HasSuffix(found[0], "(nestedtimeout/already-done)") {
		t.Errorf("opvet-new: %q", found)
	}
}
