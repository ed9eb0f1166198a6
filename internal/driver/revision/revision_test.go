package revision

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository makes a working tree with a first commit, under the worst of
// configurations.
func repository(t *testing.T) string {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "none"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	git(t, dir, "init", "--quiet")
	for key, value := range map[string]string{
		"user.name": "T", "user.email": "t@example.com", "color.ui": "always", "diff.noprefix": "true",
		"diff.context": "7", "diff.renames": "false", "diff.external": "false", "diff.relative": "true",
	} {
		git(t, dir, "config", key, value)
	}
	write(t, dir, "a.go", "package m\n\nvar a = 1\n\nvar b = 2\n\nvar c = 3\n")
	write(t, dir, "sub dir/ü.go", "package m\n\nvar d = 4")
	write(t, dir, "old.go", "package m\n\n"+strings.Repeat("// text\n", 30)+"\nvar e = 5\n")
	write(t, dir, ".gitignore", "ignored.go\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "-m", "first")
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func since(t *testing.T, dir, rev string) *Changes {
	t.Helper()
	r, ok := Find(dir)
	if !ok {
		t.Fatalf("no repository at %s", dir)
	}
	changes, err := r.ChangesSince(rev)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// wantLines checks which of a file's first forty lines have changed.
func wantLines(t *testing.T, c *Changes, file string, want ...int) {
	t.Helper()
	var got []int
	for line := 1; line <= 40; line++ {
		if c.Has(file, line) {
			got = append(got, line)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: lines %v have changed, want %v", filepath.Base(file), got, want)
	}
}

func TestChanges(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.go", "package m\n\nvar z = 0\nvar a = 1\n\nvar c = 30\n")
	write(t, dir, "sub dir/ü.go", "package m\n\nvar d = 4\n")
	git(t, dir, "mv", "old.go", "sub dir/new.go")
	write(t, dir, "sub dir/new.go", "package m\n\n"+strings.Repeat("// text\n", 30)+"\nvar e = 50\n")
	write(t, dir, "untracked.go", "package m\n")
	write(t, dir, "ignored.go", "package m\n")
	for _, from := range []string{".", "sub dir"} {
		c := since(t, filepath.Join(dir, from), "HEAD")
		wantLines(t, c, filepath.Join(dir, "a.go"), 3, 6)
		wantLines(t, c, filepath.Join(dir, "sub dir/ü.go"), 3)
		wantLines(t, c, filepath.Join(dir, "sub dir/new.go"), 34)
		wantLines(t, c, filepath.Join(dir, "ignored.go"))
		wantLines(t, c, filepath.Join(t.TempDir(), "elsewhere.go"))
		if !c.Has(filepath.Join(dir, "untracked.go"), 1) {
			t.Error("an untracked file is not new")
		}
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "-m", "second")
	wantLines(t, since(t, dir, "HEAD~"), filepath.Join(dir, "a.go"), 3, 6)
	wantLines(t, since(t, dir, "HEAD"), filepath.Join(dir, "a.go"))
}

func TestSymbolicLinks(t *testing.T) {
	dir := repository(t)
	write(t, dir, "sub dir/ü.go", "package m\n\nvar d = 40")
	links := t.TempDir()
	for link, to := range map[string]string{"top": dir, "sub": filepath.Join(dir, "sub dir")} {
		if err := os.Symlink(to, filepath.Join(links, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []string{"top", "sub"} {
		c := since(t, filepath.Join(links, from), "HEAD")
		wantLines(t, c, filepath.Join(links, "top/sub dir/ü.go"), 3)
		wantLines(t, c, filepath.Join(links, "sub/ü.go"), 3)
		wantLines(t, c, filepath.Join(dir, "sub dir/ü.go"), 3)
	}
}

func TestWorktree(t *testing.T) {
	dir, other := repository(t), filepath.Join(t.TempDir(), "other")
	git(t, dir, "worktree", "add", "--quiet", other)
	write(t, other, "a.go", "package m\n\nvar a = 10\n\nvar b = 2\n\nvar c = 3\n")
	wantLines(t, since(t, other, "HEAD"), filepath.Join(other, "a.go"), 3)
}

func TestExport(t *testing.T) {
	dir := repository(t)
	write(t, dir, ".gitattributes", "a.go export-ignore\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "-m", "attributes")
	write(t, dir, "a.go", "package changed\n")
	write(t, dir, "staged.go", "package m\n")
	git(t, dir, "add", "staged.go")
	c := since(t, filepath.Join(dir, "sub dir"), "HEAD")
	to := t.TempDir()
	if err := c.repository.Export(c.Revision(), to); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(to, func(name string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(to, name)
			got = append(got, filepath.ToSlash(rel))
		}
		return err
	})
	if want := []string{".gitattributes", ".gitignore", "a.go", "old.go", "sub dir/ü.go"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q (%v)", got, want, err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "a.go")); err != nil || !strings.HasPrefix(string(text), "package m\n") {
		t.Errorf("a.go is %q, %v", text, err)
	}
	if !c.Has(filepath.Join(dir, "staged.go"), 1) {
		t.Error("a staged file is not new")
	}
	cmd := exec.Command("git", "status", "--porcelain")
	cmd.Dir = dir
	if out, err := cmd.Output(); err != nil || string(out) != " M a.go\nA  staged.go\n" {
		t.Errorf("the repository has changed: %s, %v", out, err)
	}
}

func TestBadRevisions(t *testing.T) {
	r, ok := Find(repository(t))
	if !ok {
		t.Fatal("no repository")
	}
	for rev, want := range map[string]string{
		"nosuch": `git knows no revision "nosuch"`,
		"":       `"" is no git revision`,
		"--all":  `"--all" is no git revision`,
	} {
		if _, err := r.ChangesSince(rev); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", rev, err, want)
		}
	}
}

func TestNoRepository(t *testing.T) {
	if r, ok := Find(t.TempDir()); ok {
		t.Errorf("found %s", r.Top())
	}
}

func TestGitFails(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".git", "not what git puts here")
	r, ok := Find(dir)
	if !ok {
		t.Fatal("no repository")
	}
	if _, err := r.ChangesSince("HEAD"); err == nil || !strings.Contains(err.Error(), "git: fatal: ") {
		t.Errorf("error %v", err)
	}
	t.Setenv("PATH", "")
	if _, err := r.ChangesSince("HEAD"); err == nil || !strings.Contains(err.Error(), "executable file not found") {
		t.Errorf("error %v", err)
	}
}
