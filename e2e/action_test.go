package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// actionFile is what these tests look at in action.yml.
type actionFile struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, Run, Shell string
			Env              map[string]string
		}
	}
}

// runner runs the steps of the GitHub Action as GitHub's does: the scripts in bash, with
// the inputs and the runner's files in the environment.
type runner struct {
	file                   actionFile
	dir                    string
	env                    []string
	temp, outputs, summary string
}

func newRunner(t *testing.T, dir string, env []string) *runner {
	t.Helper()
	temp := t.TempDir()
	r := &runner{dir: dir, env: env, temp: temp, outputs: filepath.Join(temp, "output"), summary: filepath.Join(temp, "summary")}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, "action.yml"))), &r.file); err != nil {
		t.Fatal(err)
	}
	return r
}

// script runs the script of a step, for a pull request with that base if there is one.
func (r *runner) script(t *testing.T, name, base string, inputs map[string]string, status int) result {
	t.Helper()
	write(t, r.outputs, "")
	write(t, r.summary, "")
	for _, step := range r.file.Runs.Steps {
		if step.Name != name {
			continue
		}
		if step.Shell != "bash" {
			t.Errorf("step %s has the shell %q", name, step.Shell)
		}
		env := append(slices.Clip(r.env), "RUNNER_TEMP="+r.temp, "GITHUB_OUTPUT="+r.outputs, "GITHUB_STEP_SUMMARY="+r.summary)
		for variable, value := range step.Env {
			env = append(env, variable+"="+r.expand(t, value, base, inputs))
		}
		return start(t, r.dir, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run).want(t, status)
	}
	t.Fatalf("action.yml has no step %q", name)
	return result{}
}

// expand gives an expression of the action its value.
func (r *runner) expand(t *testing.T, value, base string, inputs map[string]string) string {
	t.Helper()
	if !strings.Contains(value, "${{") {
		return value
	}
	value = strings.ReplaceAll(value, "${{ runner.temp }}", r.temp)
	switch {
	case !strings.Contains(value, "${{"):
		return value
	case value == "${{ github.base_ref }}":
		return base
	}
	name, ok := strings.CutPrefix(value, "${{ inputs.")
	name, closed := strings.CutSuffix(name, " }}")
	if _, known := r.file.Inputs[name]; !ok || !closed || !known {
		t.Fatalf("action.yml: %s is no input", value)
	}
	if given, ok := inputs[name]; ok {
		return given
	}
	return r.file.Inputs[name].Default
}

// TestAction runs the action in the demo operator.
func TestAction(t *testing.T) {
	t.Parallel()
	_, module := gitModule(t)
	action := newRunner(t, module, inPath(t))
	outputs, summary := action.outputs, action.summary
	// What the first step installs.
	if err := os.MkdirAll(filepath.Join(action.temp, "opvet"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(opvet(t), filepath.Join(action.temp, "opvet", "opvet")); err != nil {
		t.Fatal(err)
	}

	all := action.script(t, "analyse", "", map[string]string{"html": "opvet.html", "args": "-harm=loss"}, 0)
	if !regexp.MustCompile(`(?m)^::error file=`).MatchString(all.stdout) {
		t.Errorf("there are no annotations:\n%s", all.stdout)
	}
	counted := regexp.MustCompile(`(?m)^findings=([1-9][0-9]*)$`).FindStringSubmatch(read(t, outputs))
	if counted == nil || strings.Count(all.stdout, "\n::error file=")+1 != len(readSarif(t, filepath.Join(module, "opvet.sarif")).Runs[0].Results) {
		t.Errorf("outputs %s", read(t, outputs))
	}
	if text := read(t, summary); counted != nil && !strings.Contains(text, counted[1]+" findings (") {
		t.Errorf("the summary does not count %s findings:\n%s", counted[1], text)
	}
	if !strings.Contains(read(t, outputs), "status=1\n") || !strings.Contains(read(t, filepath.Join(module, "opvet.html")), "</html>") {
		t.Errorf("outputs %s", read(t, outputs))
	}

	// A pull request that changes nothing has no findings.
	none := action.script(t, "analyse", "main", nil, 0)
	if strings.Contains(none.stdout, "::error") || !strings.Contains(read(t, outputs), "status=0\nfindings=0\n") {
		t.Errorf("outputs %s\n%s", read(t, outputs), none.stdout)
	}
	action.script(t, "analyse", "", map[string]string{"packages": "./absent"}, 2)
}
