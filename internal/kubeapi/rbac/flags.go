package rbac

import (
	"bytes"
	"regexp"
)

// aFlag finds flags with what is given to them where that is false: --leader-elect, --leader-elect=false.
var aFlag = regexp.MustCompile(`--([A-Za-z][A-Za-z0-9_.-]*)(=["']?(?i:false))?`)

// aKubeconfig finds an argument of a container that has its program ask an API server as a user of a
// file, with the line before it.
var aKubeconfig = regexp.MustCompile(`(?m)^(.*)\n[ \t]*-[ \t]*["']?--?kubeconfig[= \t"']`)

// aTemplateComment finds comments of templates, which may have more than one line.
var aTemplateComment = regexp.MustCompile(`(?s)\{\{-?\s*/\*.*?\*/\s*-?\}\}`)

// readFlags notes the flags of all command lines in a file: in the arguments of a container, in a patch of
// kustomize, in a template of a chart, or in a script. What is turned off there is not noted.
func (m *Manifests) readFlags(data []byte) {
	if !bytes.Contains(data, []byte("--")) {
		return
	}
	if bytes.Contains(data, []byte("/*")) {
		data = aTemplateComment.ReplaceAll(data, nil)
	}
	for _, found := range aFlag.FindAllSubmatchIndex(data, -1) {
		if found[4] >= 0 || inComment(data[:found[0]]) {
			continue
		}
		if m.flags == nil {
			m.flags = make(map[string]bool)
		}
		m.flags[string(data[found[2]:found[3]])] = true
	}
}

// readKubeconfig notes whether a container is given a kubeconfig; an option of a chart is none yet.
func (m *Manifests) readKubeconfig(data []byte) {
	if !bytes.Contains(data, []byte("-kubeconfig")) {
		return
	}
	for _, found := range aKubeconfig.FindAllSubmatch(data, -1) {
		m.ByKubeconfig = m.ByKubeconfig || !bytes.Contains(found[1], []byte("{{"))
	}
}

// inComment reports whether the last line of what stands before a place opens a comment. A # within a word
// opens none.
func inComment(before []byte) bool {
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	for i, c := range line {
		if c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return true
		}
	}
	return false
}

// Gives reports whether a command line of the project gives a boolean flag, as in
// --leader-elect or --leader-elect={{ .Values.leaderElect }}. It does so if no project was
// read.
func (m *Manifests) Gives(flag string) bool { return !m.project || m.flags[flag] }
