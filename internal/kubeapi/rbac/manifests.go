package rbac

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Manifests are what the YAML files of a project say.
type Manifests struct {
	Rules []Rule
	// Plurals are the resources of custom kinds, by group and kind.
	Plurals map[[2]string]string
	// Aggregated tells that a role takes on the rules of others, which need not be
	// here.
	Aggregated bool
	// ByKubeconfig tells that a container is given a kubeconfig: what its program may do, and on which
	// API server, the roles do not say.
	ByKubeconfig bool

	confined bool            // a bundle says that OLM does not install it for all namespaces
	project  bool            // all files below a folder were read
	binds    bool            // something binds a role, or a bundle has permissions
	flags    map[string]bool // of command lines, see Gives
	roles    map[string]bool // the names of all
	bound    []string        // names of roles that bindings refer to, but for those that come with Kubernetes
}

// maxManifest bounds the files that are read.
const maxManifest = 16 << 20

// kindsWanted tells cheaply which files may say something.
var kindsWanted = regexp.MustCompile(`(?m)^\s*(- )?(kind: *"?(ClusterRole|Role|ClusterRoleBinding|RoleBinding|ClusterServiceVersion|CustomResourceDefinition)"?\s*$|- apiGroups:|apiGroups:)`)

// wantedTexts are what a file has of which kindsWanted is true: to look for them costs
// less by far.
var wantedTexts = [][]byte{[]byte("apiGroups:"), []byte("Role"), []byte("ClusterServiceVersion"), []byte("CustomResourceDefinition")}

// ReadProject reads all manifests below a directory.
func ReadProject(root string) *Manifests {
	m := &Manifests{Plurals: make(map[[2]string]string), project: true}
	EachManifest(root, func(path string, data []byte) {
		m.readFlags(data)
		into := m
		if slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Dir(path[len(root):])), "/"), IsForTests) {
			into = &Manifests{Plurals: m.Plurals} // the roles of tests are nobody's in production
		}
		into.readKubeconfig(data)
		into.Read(data)
	})
	return m
}

// IsForTests reports whether a directory of that name has what only tests install, or are built of.
func IsForTests(name string) bool { return name == "test" || name == "tests" || name == "e2e" }

// EachManifest reads the manifests and their templates below a directory. What cannot be
// read grants nothing, and is left out.
func EachManifest(root string, read func(path string, data []byte)) {
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if entry.IsDir() {
			if path != root && SkipsDir(entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".yaml", ".yml", ".tpl", ".tmpl", ".jsonnet", ".libsonnet":
			if info, err := entry.Info(); err == nil && info.Size() <= maxManifest {
				if data, err := os.ReadFile(path); err == nil {
					read(path, data)
				}
			}
		}
		return nil
	})
}

// SkipsDir reports whether a directory has nothing of the project's own.
func SkipsDir(name string) bool {
	return name == "vendor" || name == "node_modules" || name == "bin" || name == ".git" || name == "third_party"
}

// Read adds what a file says. Templates are no YAML before they are rendered: of
// those, the rules are read line by line, whatever their conditions.
func (m *Manifests) Read(data []byte) {
	if !slices.ContainsFunc(wantedTexts, func(text []byte) bool { return bytes.Contains(data, text) }) || !kindsWanted.Match(data) {
		return
	}
	before := len(m.Rules)
	if bytes.Contains(data, []byte("{{")) || !m.decode(data) {
		m.Rules = append(m.Rules[:before], lenient(string(data))...)
		m.lenientBindings(string(data))
	}
}

// document is what matters of a manifest.
type document struct {
	Kind     string
	Metadata struct {
		Name, Namespace string
		Labels          map[string]string
	}
	Rules           []policyRule
	RoleRef         struct{ Name string } `yaml:"roleRef"`
	AggregationRule struct {
		ClusterRoleSelectors []struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		} `yaml:"clusterRoleSelectors"`
	} `yaml:"aggregationRule"`
	Items []document
	Spec  struct {
		Group string
		Names struct{ Kind, Plural string }
		// InstallModes are what OLM installs a program for.
		InstallModes []struct {
			Type      string
			Supported bool
		} `yaml:"installModes"`
		Install struct {
			Spec struct {
				ClusterPermissions []struct{ Rules []policyRule } `yaml:"clusterPermissions"`
				Permissions        []struct{ Rules []policyRule }
			}
		}
	}
}

type policyRule struct {
	APIGroups       []string `yaml:"apiGroups"`
	Resources       []string
	ResourceNames   []string `yaml:"resourceNames"`
	NonResourceURLs []string `yaml:"nonResourceURLs"`
	Verbs           []string
}

func (m *Manifests) decode(data []byte) bool {
	decoder := yaml.NewDecoder(bytes.NewReader(withoutSchemas(data)))
	for {
		var d document
		switch err := decoder.Decode(&d); {
		case err == io.EOF:
			return true
		case err != nil:
			return false
		}
		m.document(&d)
	}
}

// withoutSchemas leaves out what the versions of a custom kind are made of: thousands of
// lines of which none is asked for.
func withoutSchemas(data []byte) []byte {
	const kind = "kind: CustomResourceDefinition"
	if !bytes.Contains(data, []byte(kind)) {
		return data
	}
	rest := make([]byte, 0, len(data)/8)
	custom, within := false, false
	for line := range bytes.Lines(data) {
		text := bytes.TrimRight(line, " \r\n")
		if within = within && isBelowSpec(text); within {
			continue
		}
		switch string(text) {
		case kind:
			custom = true
		case "---":
			custom = false
		case "  versions:", "  validation:":
			if custom {
				within = true
				continue
			}
		}
		rest = append(rest, line...)
	}
	return rest
}

// isBelowSpec reports whether a line belongs to a field of a manifest's spec that was
// begun before: an element of a list, or what is further in. A comment may stand anywhere.
func isBelowSpec(line []byte) bool {
	return len(line) == 0 || bytes.HasPrefix(line, []byte("   ")) || bytes.HasPrefix(line, []byte("  -")) || bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("#"))
}

func (m *Manifests) document(d *document) {
	switch d.Kind {
	case "CustomResourceDefinition":
		m.Plurals[[2]string{d.Spec.Group, d.Spec.Names.Kind}] = d.Spec.Names.Plural
	case "ClusterRole", "Role":
		m.named(d.Metadata.Name)
		if !forUsers(d.Metadata.Name) {
			m.add(d.Rules, d.Kind == "Role", d.Metadata.Namespace, d.Metadata.Name)
			m.Aggregated = m.Aggregated || len(d.AggregationRule.ClusterRoleSelectors) > 0
		}
	case "ClusterRoleBinding", "RoleBinding":
		m.bind(roleBinding{d.Kind, d.Metadata.Namespace, d.RoleRef.Name})
	case "ClusterServiceVersion":
		m.binds = true
		for _, mode := range d.Spec.InstallModes {
			m.confined = m.confined || mode.Type == "AllNamespaces" && !mode.Supported
		}
		for _, p := range d.Spec.Install.Spec.ClusterPermissions {
			m.add(p.Rules, false, "", d.Metadata.Name)
		}
		for _, p := range d.Spec.Install.Spec.Permissions {
			// Of an operator for all namespaces, OLM makes these ClusterRoles, too.
			m.add(p.Rules, false, "", d.Metadata.Name)
		}
	}
	for i := range d.Items {
		m.document(&d.Items[i])
	}
}

// Confined reports whether the program is not installed for all namespaces: the bundle says so, and
// no role that is not the bundle's lets it watch there.
func (m *Manifests) Confined() bool {
	return m.confined && !slices.ContainsFunc(m.Rules, func(r Rule) bool {
		return !r.Namespaced && m.roles[r.Role] && slices.Contains(r.Verbs, "watch")
	})
}

// OwnRoles are the roles that grant something on a custom kind of the project's own, or on all groups:
// those of its operators, as opposed to those of what is installed beside them.
func (m *Manifests) OwnRoles() map[string]bool {
	groups := map[string]bool{"*": true}
	for of := range m.Plurals {
		if of[0] != "" { // a patch of a definition does not repeat its group
			groups[of[0]] = true
		}
	}
	own := make(map[string]bool)
	for _, r := range m.Rules {
		if slices.ContainsFunc(r.Groups, func(group string) bool { return groups[group] }) {
			own[r.Role] = true
		}
	}
	return own
}

// forUsers reports whether a role is one of those that kubebuilder makes for the
// users of a kind, and not for the operator.
func forUsers(name string) bool {
	return slices.ContainsFunc([]string{"-editor-role", "-viewer-role", "-admin-role"}, func(suffix string) bool {
		return strings.HasSuffix(name, suffix)
	})
}

func (m *Manifests) add(rules []policyRule, namespaced bool, namespace, role string) {
	for _, r := range rules {
		m.Rules = append(m.Rules, Rule{
			Groups: r.APIGroups, Resources: r.Resources, Names: r.ResourceNames, URLs: r.NonResourceURLs, Verbs: r.Verbs,
			Namespaced: namespaced, Namespace: namespace, Role: role,
		})
	}
}

var (
	listKey     = regexp.MustCompile(`^(\s*)(- )?\s*"?(apiGroups|resources|verbs|resourceNames|nonResourceURLs)"?:\s*(.*)$`)
	documentEnd = regexp.MustCompile(`(?m)^---`)
	topName     = regexp.MustCompile(`(?m)^metadata:\s*\n(?:\s.*\n)*?\s+name:\s*(.*?)\s*$`)
	topKind     = regexp.MustCompile(`(?m)^kind:\s*["']?([^"'\s#]*)`)
	listItem    = regexp.MustCompile(`^\s*-\s*["']?([^"'\s#{}]*)["']?\s*(#.*)?$`)
)

// ofTemplate marks the names of roles in templates: what these are called is not known.
const ofTemplate = "template "

// lenient reads the rules of a template, document by document.
func lenient(text string) []Rule {
	var rules []Rule
	for _, document := range documentEnd.Split(text, -1) {
		rules = append(rules, lenientDocument(document)...)
	}
	return rules
}

// isRole reports whether a document of a template is a Role, however it is rendered.
func isRole(document string) bool {
	kinds := topKind.FindAllStringSubmatch(document, -1)
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind []string) bool { return kind[1] != "Role" })
}

// lenientDocument reads the rules of one document: lists of groups, resources and verbs
// that follow each other.
func lenientDocument(text string) []Rule {
	namespaced, role := isRole(text), ""
	if name := topName.FindStringSubmatch(text); name != nil {
		role = ofTemplate + name[1]
	}
	var rules []Rule
	var r Rule
	var into *[]string
	flush := func() {
		if len(r.Verbs) > 0 && len(r.Resources) > 0 {
			r.Namespaced, r.Role = namespaced, role
			rules = append(rules, r)
		}
		r = Rule{}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "{{") {
			continue
		}
		if match := keyOf(line); match != nil {
			if match[2] != "" {
				flush()
			}
			into = r.field(match[3])
			if len(*into) > 0 {
				flush()
				into = r.field(match[3])
			}
			if strings.HasPrefix(match[4], "[") {
				list, _, _ := strings.Cut(match[4][1:], "]")
				for item := range strings.SplitSeq(list, ",") {
					*into = append(*into, rendered(strings.Trim(item, ` "'`)))
				}
				into = nil
			}
			continue
		}
		if into == nil {
			continue
		}
		if item, isItem := strings.CutPrefix(trimmed, "- "); isItem && strings.Contains(item, "{{") {
			*into = append(*into, rendered(item))
			continue
		}
		if match := listItem.FindStringSubmatch(line); match != nil {
			*into = append(*into, match[1])
			continue
		}
		into = nil
	}
	flush()
	return rules
}

// rendered is what an element of a list may be once the template is rendered: anything,
// if values are put into it.
func rendered(item string) string {
	if strings.Contains(item, "{{") {
		return "*"
	}
	return item
}

// keyOf returns what listKey finds in a line. Most lines are none of its, such as those
// of a large definition whose descriptions look like templates.
func keyOf(line string) []string {
	rest := strings.TrimLeft(line, "- \t\"")
	for _, key := range []string{"apiGroups", "resources", "verbs", "resourceNames", "nonResourceURLs"} {
		if strings.HasPrefix(rest, key) {
			return listKey.FindStringSubmatch(line)
		}
	}
	return nil
}

func (r *Rule) field(name string) *[]string {
	switch name {
	case "apiGroups":
		return &r.Groups
	case "resources":
		return &r.Resources
	case "verbs":
		return &r.Verbs
	case "resourceNames":
		return &r.Names
	}
	return &r.URLs
}
