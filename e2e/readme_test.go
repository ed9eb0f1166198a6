package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs every command of the README that is set as a shell command
// there, in its order, as a user with an operator of their own would.
func TestReadme(t *testing.T) {
	t.Parallel()
	commands := []struct {
		prefix string // of the README's line
		status int
		prints string // a regular expression
	}{
		{"go install github.com/opvet/opvet/cmd/opvet@", 0, ``},
		{"opvet ./...", 1, `\(handlergoroutine/endless\)`},
		{"opvet help ", 0, `never persisted|status`},
		{"opvet -diff", 1, `(?m)^\+.*DeletionHandlingMetaNamespaceKeyFunc`},
		{"opvet -format", 1, `(?m)^::warning file=`},
		{"go vet -vettool=$(which opvet) ./", 1, `\(handlergoroutine/endless\)`},
		{"go mod init -modfile", 0, ``},
		{"go get -tool -modfile", 0, ``},
		{"go tool -modfile", 1, `\(handlergoroutine/endless\)`},
		{"go install github.com/opvet/opvet/cmd/opvet-gopls@", 0, ``},
		{"opvet-gopls", 0, `gopls`},
	}
	dir := copyModule(t, "demo")
	env := user(t)
	for _, args := range []string{
		"init -q", "-c user.name=u -c user.email=u@example.com commit -q --allow-empty -m first", "update-ref refs/remotes/origin/main HEAD",
	} {
		run(t, dir, "git", strings.Fields(args)...).want(t, 0)
	}
	write(t, filepath.Join(dir, ".golangci.yml"), read(t, filepath.Join(root, ".golangci.example.yml")))
	for line := range strings.Lines(shellBlocks(t)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		t.Log(line)
		found := false
		for _, c := range commands {
			if !strings.HasPrefix(line, c.prefix) {
				continue
			}
			found = true
			r := start(t, dir, env, "sh", "-c", line)
			if out := r.stdout + r.stderr; r.status != c.status || !regexp.MustCompile(c.prints).MatchString(out) {
				t.Fatalf("%s\nexit status %d, want %d; the output should match %q:\n%s", line, r.status, c.status, c.prints, out)
			}
			break
		}
		if !found {
			t.Errorf("the README has a command that no test expects: %s", line)
		}
	}
}

// shellBlocks returns the README's blocks of shell commands.
func shellBlocks(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, match := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(read(t, filepath.Join(root, "README.md")), -1) {
		if n := strings.Count(match[1], "\n"); n > 10 {
			t.Errorf("a block of %d lines, want at most ten:\n%s", n, match[1])
		}
		all.WriteString(match[1])
	}
	return all.String()
}
