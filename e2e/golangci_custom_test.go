package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGolangciLintCustom has golangci-lint build itself with opvet as the example
// says, and runs the result. Golangci-lint clones its repository for that; git is
// told to clone one that is made from its published module.
func TestGolangciLintCustom(t *testing.T) {
	t.Parallel()
	dir := configured(t)
	env := user(t)
	config := filepath.Join(dir, ".custom-gcl.yml")
	write(t, config, read(t, filepath.Join(root, ".custom-gcl.example.yml")))
	replace(t, config, "version: "+requirement(t, "github.com/opvet/opvet").Version+"\n", "version: "+publishedVersion(t)+"\n")

	module := requirement(t, "github.com/golangci/golangci-lint/v2")
	env = append(env,
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url.file://"+filepath.ToSlash(repository(t, module.Dir, module.Version))+".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/golangci/golangci-lint.git",
	)
	start(t, dir, env, golangciLint(t), "custom", "-v").want(t, 0)

	const packages = "./demo/internal/probe"
	custom := &linter{exe: filepath.Join(dir, "custom-gcl"), cache: t.TempDir()}
	same(t, "findings", custom.run(t, dir, packages).findings["opvet"], standalone(t, dir, packages))
}

// publishedVersion returns the version under which the tests' proxy has opvet.
func publishedVersion(t *testing.T) string {
	t.Helper()
	proxy, err := published()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(read(t, filepath.Join(proxy, "github.com/opvet/opvet/@v/list")))
}

// requirement returns what cmd/golangci-lint-opvet is built with.
func requirement(t *testing.T, path string) (module struct{ Dir, Version string }) {
	t.Helper()
	r := run(t, filepath.Join(root, "cmd/golangci-lint-opvet"), "go", "list", "-m", "-json", path).want(t, 0)
	if err := json.Unmarshal([]byte(r.stdout), &module); err != nil {
		t.Fatal(err)
	}
	return module
}

// repository makes a git repository of a folder, with one commit and a tag.
func repository(t *testing.T, from, tag string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A", "-f"},
		{"-c", "user.name=opvet", "-c", "user.email=opvet@example.com", "commit", "-q", "-m", tag},
		{"tag", tag},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return dir
}
