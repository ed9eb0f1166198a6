package revision

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Changes are the lines of Go files that differ from a revision.
type Changes struct {
	repository *Repository
	commit     string
	added      map[string]bool           // files that are new as a whole
	lines      map[string]map[int64]bool // by file, from the top
}

// ChangesSince compares the working tree with a revision. Files that git does
// not know, and is not told to ignore, are new.
func (r *Repository) ChangesSince(rev string) (*Changes, error) {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("%q is no git revision", rev)
	}
	commit, err := r.git("rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) == 0 {
			return nil, fmt.Errorf("git knows no revision %q in %s; a shallow clone has to fetch it first", rev, r.top)
		}
		return nil, err
	}
	// The options overrule what the user has configured for reading by people.
	patch, err := r.git("-c", "core.quotePath=true", "diff", "--unified=0", "--inter-hunk-context=0", "--find-renames",
		"--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--submodule=short",
		"--src-prefix=a/", "--dst-prefix=b/", strings.TrimSpace(string(commit)), "--", "*.go")
	if err != nil {
		return nil, err
	}
	untracked, err := r.git("ls-files", "--others", "--exclude-standard", "-z", "--", "*.go")
	if err != nil {
		return nil, err
	}
	c := &Changes{repository: r, commit: strings.TrimSpace(string(commit)), added: make(map[string]bool), lines: make(map[string]map[int64]bool)}
	for name := range strings.SplitSeq(string(untracked), "\x00") {
		c.added[name] = true
	}
	return c, c.read(patch)
}

// Revision returns the hash of the commit that was compared with.
func (c *Changes) Revision() string { return c.commit }

// read adds the lines that a patch adds.
func (c *Changes) read(patch []byte) error {
	files, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil {
		return fmt.Errorf("reading the output of git diff: %w", err)
	}
	for _, file := range files {
		if c.lines[file.NewName] == nil {
			c.lines[file.NewName] = make(map[int64]bool)
		}
		for _, fragment := range file.TextFragments {
			at := fragment.NewPosition
			for _, line := range fragment.Lines {
				if line.Op == gitdiff.OpAdd {
					c.lines[file.NewName][at] = true
				}
				if line.New() {
					at++
				}
			}
		}
	}
	return nil
}

// Has reports whether a line of a file has changed.
func (c *Changes) Has(file string, line int) bool {
	name, ok := c.repository.Rel(file)
	return ok && (c.added[name] || c.lines[name][int64(line)])
}

// git runs git at the top of the working tree and returns what it prints.
func (r *Repository) git(args ...string) ([]byte, error) {
	return r.gitWith(nil, args...)
}

// gitWith does so with additions to the environment.
func (r *Repository) gitWith(env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.top
	if len(env) > 0 {
		cmd.Env = append(os.Environ(), env...)
	}
	out, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
			return nil, fmt.Errorf("git: %s", bytes.TrimSpace(exit.Stderr))
		}
		return nil, fmt.Errorf("running git: %w", err)
	}
	return out, nil
}
