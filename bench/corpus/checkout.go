package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// findClone returns the directory under repos that holds a clone of
// repo (owner/name), bare or not.
func findClone(repos, repo string) (string, error) {
	flat := strings.ReplaceAll(repo, "/", "+")
	candidates := []string{
		filepath.Join(repos, flat, "repo"),
		filepath.Join(repos, filepath.FromSlash(repo)),
		filepath.Join(repos, filepath.FromSlash(repo)+".git"),
		filepath.Join(repos, flat),
	}
	for _, dir := range candidates {
		// A plain directory inside some other work tree would answer git's
		// questions, too, so look for the repository itself.
		for _, mark := range []string{".git", "objects"} {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("no clone of %s under %s", repo, repos)
}

// checkoutName names a commit's checkout within the work directory.
func checkoutName(repo, commit string) string {
	return fmt.Sprintf("%s@%.10s", strings.ReplaceAll(repo, "/", "+"), commit)
}

// checkout lays the commit's files out in work, unless they are there
// already, and returns their directory. The clone itself is left as it is.
//
// Files whose content the clone lacks (partial clones leave large ones out)
// are left out: what matters of that shows when packages are loaded. A vendor
// directory of which Go files are missing is left out as a whole: the module
// proxy has what it is a copy of.
func checkout(clone, work, repo, commit string) (string, error) {
	dest := filepath.Join(work, checkoutName(repo, commit))
	if _, err := os.Stat(dest); err == nil {
		if err := asRepository(dest); err != nil {
			return "", err
		}
		// The tool compares paths that the go command has resolved.
		return filepath.EvalSymlinks(dest)
	}
	if _, err := git(clone, nil, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return "", fmt.Errorf("the clone %s lacks commit %.10s", clone, commit)
	}
	partial, err := os.MkdirTemp(work, ".checkout-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(partial)
	tree := filepath.Join(partial, "tree")
	if err := os.Mkdir(tree, 0o777); err != nil {
		return "", err
	}
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(partial, "index"), "GIT_WORK_TREE=" + tree}
	if _, err := git(clone, env, "read-tree", commit); err != nil {
		return "", err
	}
	if _, err := git(clone, env, "checkout-index", "--all", "--force", "--quiet"); err != nil {
		entries, readErr := os.ReadDir(tree)
		if readErr != nil || len(entries) == 0 {
			return "", err
		}
		if err := dropBrokenVendors(clone, tree, env); err != nil {
			return "", err
		}
	}
	if err := os.Rename(tree, dest); err != nil {
		return "", err
	}
	if err := asRepository(dest); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dest)
}

// dropBrokenVendors removes the vendor directories of a tree that was laid out in
// env which lack Go files that the commit has.
func dropBrokenVendors(clone, tree string, env []string) error {
	missing, err := git(clone, env, "ls-files", "--deleted", "-z")
	if err != nil {
		return err
	}
	for file := range strings.SplitSeq(missing, "\x00") {
		parent, _, vendored := strings.Cut("/"+file, "/vendor/")
		if !vendored || !strings.HasSuffix(file, ".go") {
			continue
		}
		if err := os.RemoveAll(filepath.Join(tree, filepath.FromSlash(parent), "vendor")); err != nil {
			return err
		}
	}
	return nil
}

// asRepository makes a repository of a checkout, as users have it: what is beside the module,
// such as a chart, belongs to the project then. It has no commits.
func asRepository(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		return nil
	}
	_, err := git(dir, nil, "init", "--quiet", ".")
	return err
}

// git runs git in the clone and returns what it printed.
func git(clone string, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = clone
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w", strings.Join(args, " "), clone, withStderr(err))
	}
	return string(out), nil
}

// withStderr adds the last lines that a failed command wrote to stderr.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, tail(string(exit.Stderr), 600))
	}
	return err
}

// tail returns at most the last n bytes of s, cut at a line's beginning if
// that leaves any.
func tail(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if _, rest, ok := strings.Cut(s, "\n"); ok && rest != "" {
		return rest
	}
	return s
}

// moduleDir returns the directory of the go.mod that governs file, relative
// to the checkout; "" if there is none.
func moduleDir(checkout, file string) (string, bool) {
	for dir := filepath.Dir(filepath.FromSlash(file)); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(checkout, dir, "go.mod")); err == nil {
			return dir, true
		}
		if dir == "." {
			return "", false
		}
	}
}
