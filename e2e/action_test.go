package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// action is what these tests look at in action.yml.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, Run, Shell string
			Env              map[string]string
		}
	}
}

// TestAction runs the steps of the GitHub Action as the runner does: the scripts in
// bash, with the inputs and the runner's files in the environment.
func TestAction(t *testing.T) {
	t.Parallel()
	var file action
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, "action.yml"))), &file); err != nil {
		t.Fatal(err)
	}
	_, module := gitModule(t)
	temp := t.TempDir()
	if err := os.MkdirAll(filepath.Join(temp, "opvet"), 0o755); err != nil {
		t.Fatal(err)
	}
	// What the first step installs.
	if err := os.Symlink(opvet(t), filepath.Join(temp, "opvet", "opvet")); err != nil {
		t.Fatal(err)
	}
	outputs, summary := filepath.Join(temp, "output"), filepath.Join(temp, "summary")
	script := func(name, base string, inputs map[string]string, status int) result {
		t.Helper()
		write(t, outputs, "")
		write(t, summary, "")
		for _, step := range file.Runs.Steps {
			if step.Name != name {
				continue
			}
			if step.Shell != "bash" {
				t.Errorf("step %s has the shell %q", name, step.Shell)
			}
			env := inPath(t, "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+outputs, "GITHUB_STEP_SUMMARY="+summary)
			for variable, value := range step.Env {
				env = append(env, variable+"="+expand(t, file, value, base, inputs))
			}
			return start(t, module, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run).want(t, status)
		}
		t.Fatalf("action.yml has no step %q", name)
		return result{}
	}

	all := script("analyse", "", map[string]string{"html": "opvet.html", "args": "-harm=loss"}, 0)
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
	none := script("analyse", "main", nil, 0)
	if strings.Contains(none.stdout, "::error") || !strings.Contains(read(t, outputs), "status=0\nfindings=0\n") {
		t.Errorf("outputs %s\n%s", read(t, outputs), none.stdout)
	}
	script("analyse", "", map[string]string{"packages": "./absent"}, 2)
}

// expand gives an expression of the action its value.
func expand(t *testing.T, file action, value, base string, inputs map[string]string) string {
	t.Helper()
	if value == "${{ github.base_ref }}" {
		return base
	}
	name, ok := strings.CutPrefix(value, "${{ inputs.")
	name, closed := strings.CutSuffix(name, " }}")
	if _, known := file.Inputs[name]; !ok || !closed || !known {
		t.Fatalf("action.yml: %s is no input", value)
	}
	if given, ok := inputs[name]; ok {
		return given
	}
	return file.Inputs[name].Default
}
