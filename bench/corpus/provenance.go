package main

import (
	"debug/buildinfo"
	"os/exec"
	"strings"
)

// A provenance says which opvet was measured, and with which Go.
type provenance struct {
	Commit   string `json:"commit,omitempty"` // of opvet's source
	Date     string `json:"date,omitempty"`   // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"` // the toolchain that loads the packages
}

// newProvenance asks the binary, or, for one that the bench has built itself,
// without stamps, the repository in the current directory.
func newProvenance(binary string, ownBuild bool) (provenance, error) {
	var p provenance
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return p, withStderr(err)
	}
	p.Go = strings.TrimSpace(string(out))
	if ownBuild {
		if out, err = exec.Command("git", "log", "-1", "--format=%H %cs").Output(); err != nil {
			return p, withStderr(err)
		}
		p.Commit, p.Date, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
		out, err = exec.Command("git", "status", "--porcelain", "--", "*.go", "go.mod").Output()
		p.Modified = len(out) > 0
		return p, withStderr(err)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return p, nil // a script, say: the hash has to do
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			p.Commit = s.Value
		case "vcs.time":
			p.Date, _, _ = strings.Cut(s.Value, "T")
		case "vcs.modified":
			p.Modified = s.Value == "true"
		}
	}
	return p, nil
}
