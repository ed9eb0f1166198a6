package rbac

import (
	"bytes"
	"regexp"
)

// aFlag is what a flag looks like among the arguments of a container.
var aFlag = regexp.MustCompile(`--([A-Za-z][A-Za-z0-9_.-]*)(=["']?(?i:false))?`)

// aComment is one of YAML, up to the end of its line, or of a template.
var aComment = regexp.MustCompile(`(?m)(^|[ \t])#.*$|(?s:\{\{-?\s*/\*.*?\*/\s*-?\}\})`)

// readFlags notes the flags that a file has anywhere but in a comment: where the arguments of
// a container stand in a template, a patch or a list of values cannot be told. What is
// commented out nobody gives.
func (m *Manifests) readFlags(data []byte) {
	if !bytes.Contains(data, []byte("--")) {
		return
	}
	for _, found := range aFlag.FindAllSubmatch(aComment.ReplaceAll(data, nil), -1) {
		if len(found[2]) == 0 {
			if m.flags == nil {
				m.flags = make(map[string]bool)
			}
			m.flags[string(found[1])] = true
		}
	}
}

// Gives reports whether a command line of the project gives a boolean flag, as in
// --leader-elect or --leader-elect={{ .Values.leaderElect }}. It does so if no project was
// read.
func (m *Manifests) Gives(flag string) bool { return !m.project || m.flags[flag] }
