package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
)

// goCommand runs the go command in a folder, shielded from what the user has
// configured for other work.
type goCommand struct {
	ctx    context.Context
	dir    string
	env    []string
	stderr io.Writer

	version       string // such as go1.26.8
	gobin, gopath string
}

func newGoCommand(ctx context.Context, dir string, stderr io.Writer) (*goCommand, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("gopls is built with the go command: %w", err)
	}
	g := &goCommand{ctx: ctx, dir: dir, stderr: stderr, env: []string{
		"GO111MODULE=on", "GOFLAGS=-mod=mod", "GOWORK=off",
		"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH,
	}}
	var env struct{ GOVERSION, GOTOOLCHAIN, GOBIN, GOPATH string }
	if err := g.json(&env, "env", "-json", "GOVERSION", "GOTOOLCHAIN", "GOBIN", "GOPATH"); err != nil {
		return nil, err
	}
	// Another toolchain than the one that gopls was chosen for must not be
	// downloaded because some module asks for it.
	toolchain, _, _ := strings.Cut(env.GOTOOLCHAIN, "+")
	if toolchain == "auto" || toolchain == "path" {
		toolchain = "local"
	}
	g.env = append(g.env, "GOTOOLCHAIN="+toolchain)
	g.version = languageOrRelease(env.GOVERSION)
	g.gobin, g.gopath = env.GOBIN, env.GOPATH
	return g, nil
}

// languageOrRelease cuts what is of no account from a version of Go: the
// experiments of a release, and the commit of a development version.
func languageOrRelease(version string) string {
	if release := regexp.MustCompile(`go1[.\w]*`).FindString(version); release != "" {
		return release
	}
	return version
}

// output runs the go command and returns what it prints.
func (g *goCommand) output(args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := g.command(args)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), explain(err, out, stderr.Bytes()))
	}
	return out, nil
}

// json decodes what the go command prints.
func (g *goCommand) json(into any, args ...string) error {
	out, err := g.output(args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// show runs the go command and lets the user see what it says.
func (g *goCommand) show(args ...string) error {
	cmd := g.command(args)
	cmd.Stdout, cmd.Stderr = g.stderr, g.stderr
	return cmd.Run()
}

func (g *goCommand) command(args []string) *exec.Cmd {
	cmd := exec.CommandContext(g.ctx, "go", args...)
	cmd.Dir = g.dir
	cmd.Env = append(cmd.Environ(), g.env...)
	return cmd
}

// explain prefers what the go command says to its exit status. With -json,
// "go mod download" says it on standard output.
func explain(err error, stdout, stderr []byte) error {
	var result struct{ Error string }
	if json.Unmarshal(stdout, &result) == nil && result.Error != "" {
		return errors.New(result.Error)
	}
	if text := strings.TrimSpace(string(stderr)); text != "" {
		return errors.New(strings.TrimPrefix(text, "go: "))
	}
	return err
}
