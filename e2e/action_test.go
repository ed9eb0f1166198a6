package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
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
	server                 string // where the releases are
}

func newRunner(t *testing.T, dir string, env []string) *runner {
	t.Helper()
	temp := t.TempDir()
	r := &runner{dir: dir, env: env, temp: temp, outputs: filepath.Join(temp, "output"), summary: filepath.Join(temp, "summary"), server: t.TempDir()}
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
	value = strings.NewReplacer(
		"${{ runner.temp }}", r.temp,
		"${{ github.server_url }}", "file://"+filepath.ToSlash(r.server),
		"${{ github.base_ref }}", base,
	).Replace(value)
	if !strings.Contains(value, "${{") {
		return value
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
	release(t, filepath.Join(action.server, "opvet/opvet/releases/latest/download"))
	if out := action.script(t, "install", "", nil, 0).stdout; !strings.Contains(out, "OK\nopvet ") {
		t.Errorf("the release is not installed:\n%s", out)
	}
	// An archive that is not what was released.
	write(t, filepath.Join(action.server, "opvet/opvet/releases/latest/download/checksums.txt"), strings.Repeat("0", 64)+"  "+archive()+"\n")
	action.script(t, "install", "", nil, 1)

	all := action.script(t, "analyse", "", map[string]string{"html": "opvet.html", "args": "-harm=loss"}, 0)
	if !regexp.MustCompile(`(?m)^::error file=`).MatchString(all.stdout) {
		t.Errorf("there are no annotations:\n%s", all.stdout)
	}
	counted := regexp.MustCompile(`(?m)^findings=([1-9][0-9]*)$`).FindStringSubmatch(read(t, outputs))
	if counted == nil || strings.Count(all.stdout, "\n::error file=") != len(readSarif(t, filepath.Join(module, "opvet.sarif")).Runs[0].Results) {
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

// archive is the name of the release's archive for this machine.
func archive() string { return "opvet_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz" }

// release puts a release of opvet into a folder, as goreleaser does.
func release(t *testing.T, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, filepath.Dir(opvet(t)), "tar", "-czf", filepath.Join(to, archive()), "opvet").want(t, 0)
	sum := sha256.Sum256([]byte(read(t, filepath.Join(to, archive()))))
	write(t, filepath.Join(to, "checksums.txt"), fmt.Sprintf("%x  opvet_other.tar.gz\n%x  %s\n", sum, sum, archive()))
}
