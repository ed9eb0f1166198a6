package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
)

// The modules that make up the program.
const (
	linter = "github.com/golangci/golangci-lint/v2"
	suite  = "github.com/opvet/opvet"
)

// buildInfo says what the program is made of. Golangci-lint keeps its cache
// apart by the version alone, so that has to change with the program, or findings
// of an older opvet would be served.
func buildInfo() (commands.BuildInfo, error) {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return commands.BuildInfo{}, fmt.Errorf("the program was built without information on its modules")
	}
	sum, err := executableSum()
	if err != nil {
		return commands.BuildInfo{}, fmt.Errorf("hashing the program, for its version: %w", err)
	}
	info := commands.BuildInfo{
		GoVersion: build.GoVersion,
		Version:   fmt.Sprintf("%s-opvet-%s-%x", module(build, linter), module(build, suite), sum[:8]),
		Commit:    "(unknown)",
		Date:      "(unknown)",
	}
	for _, setting := range build.Settings {
		switch setting.Key {
		case "vcs.revision":
			info.Commit = setting.Value
		case "vcs.time":
			info.Date = setting.Value
		}
	}
	return info, nil
}

// module returns the version of a module in the program.
func module(build *debug.BuildInfo, path string) string {
	for _, dep := range build.Deps {
		if dep.Path != path {
			continue
		}
		if dep.Replace != nil {
			dep = dep.Replace
		}
		return strings.Trim(dep.Version, "()") // as in (devel), for a directory
	}
	return "unknown"
}

func executableSum() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return nil, err
	}
	return hash.Sum(nil), nil
}
