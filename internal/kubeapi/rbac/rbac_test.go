package rbac

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMarker(t *testing.T) {
	for _, test := range []struct {
		text string
		want Rule
	}{
		{`groups=apps,resources=deployments,verbs=get;list`, Rule{Groups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "list"}}},
		{`groups="",resources=pods;pods/log,verbs=*`, Rule{Groups: []string{""}, Resources: []string{"pods", "pods/log"}, Verbs: []string{"*"}}},
		{`groups=core,resources={a,"b"},verbs="get"`, Rule{Groups: []string{""}, Resources: []string{"a", "b"}, Verbs: []string{"get"}}},
		{`urls=/metrics;/healthz,verbs=get`, Rule{URLs: []string{"/metrics", "/healthz"}, Verbs: []string{"get"}}},
		{`groups="",namespace=system,resources=secrets,resourceNames=ca,roleName=reader,verbs=get; list`, Rule{
			Groups: []string{""}, Resources: []string{"secrets"}, Names: []string{"ca"}, Verbs: []string{"get", "list"},
			Namespace: "system", Namespaced: true, Role: "reader",
		}},
	} {
		got, err := ParseMarker(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: wanted (-), got (+):\n%s", test.text, diff)
		}
	}
	for _, text := range []string{"", "groups", "groups=a,resources=b", "group=a,verbs=get", `groups="a,verbs=get`, "groups={a,verbs=get", "verbs=get,", "verbs=get}"} {
		if got, err := ParseMarker(text); err == nil {
			t.Errorf("%q is %+v, want an error", text, got)
		}
	}
}

// Where markers count is compared with controller-gen in e2e/markers.
func TestInert(t *testing.T) {
	const marker = "// +kubebuilder:rbac:groups=\"\",resources=pods,verbs=get\n"
	for _, test := range []struct{ source, want string }{
		{marker + "package p", ""},
		{"package p\n\n" + marker + "\nfunc f() {}", ""},
		{"package p\n\n" + marker + "func f() {}", "the documentation of f"},
		{"package p\n\n" + marker + "type T int", "the documentation of T"},
		{"package p\n\ntype T struct {\n" + marker + "F int }", "the documentation of a field"},
		{"package p\n\ntype T struct {\n" + marker + "\nF int }", "a declaration"},
		{"package p\n\nfunc f() {\n" + marker + "}", "the body of f"},
		{"package p\n\ntype (\n" + marker + "\n// T is.\nT int\n)", ""},
		{"package p\n\nconst a = 1 " + marker, "a comment behind a declaration"},
		{"package p\n\nfunc f() {}\n\n" + marker, ""},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", test.source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		markers := MarkersOf(file)
		if len(markers) != 1 || markers[0].Inert != test.want {
			t.Errorf("%s\nis %+v, want one marker in %q", test.source, markers, test.want)
		}
	}
}

func TestManifests(t *testing.T) {
	const template = `
{{- if .Values.rbac }}
kind: ClusterRole
rules:
- apiGroups: ["apps", ""]
  resources:
  {{- if .Values.more }}
  - "deployments" # a comment
  {{- end }}
  - pods
  verbs: [get, list]
- apiGroups:
  - batch
  resources: ["jobs"]
  verbs:
  - create
- apiGroups: ["{{ include "group" . }}"]
  resources: [plugins]
  verbs: [get]
- apiGroups:
  - "{{ .Values.group }}"
  resources:
  - volumes
  verbs:
  - patch
{{- end }}
`
	const plain = `
kind: ClusterRole
metadata: {name: things-editor-role}
rules: [{apiGroups: [example.dev], resources: [things], verbs: [delete]}]
---
apiVersion: v1
kind: List
items:
- kind: Role
  metadata: {name: own, namespace: system}
  rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
---
kind: CustomResourceDefinition
spec: {group: example.dev, names: {kind: Chaos, plural: chaos}}
---
kind: ClusterServiceVersion
spec: {install: {spec: {clusterPermissions: [{rules: [{apiGroups: [""], resources: [nodes], verbs: [list]}]}]}}}
`
	m := &Manifests{Plurals: make(map[[2]string]string)}
	m.Read([]byte(template))
	m.Read([]byte(plain))
	for _, test := range []struct {
		group, resource, verb string
		want                  bool
	}{
		{"apps", "deployments", "get", true}, {"", "pods", "list", true}, {"batch", "jobs", "create", true}, {"batch", "jobs", "get", false},
		{"plugins.example.dev", "plugins", "get", true}, {"plugins.example.dev", "plugins", "list", false}, {"example.dev", "volumes", "patch", true}, {"example.dev", "volumes", "get", false},
		{"example.dev", "things", "delete", false}, {"", "secrets", "get", true}, {"", "nodes", "list", true}, {"", "nodes", "get", false},
	} {
		got := false
		for i := range m.Rules {
			got = got || m.Rules[i].Grants(test.group, test.resource, test.verb)
		}
		if got != test.want {
			t.Errorf("%s of %s.%s: %t, want %t", test.verb, test.resource, test.group, got, test.want)
		}
	}
	if got := m.Plurals[[2]string{"example.dev", "Chaos"}]; got != "chaos" {
		t.Errorf("the resource of Chaos is %q", got)
	}
}

// A template's Role grants nothing in other namespaces, unless it may be rendered as a ClusterRole.
func TestRolesOfTemplates(t *testing.T) {
	const rules = "rules:\n- apiGroups: [\"\"]\n  resources: [{{ .Values.resource }}]\n  verbs: [get]\n"
	m := &Manifests{Plurals: make(map[[2]string]string)}
	m.Read([]byte("kind: Role\n" + rules + "---\nkind: ClusterRole\n" + rules +
		"---\n{{ if .Values.all }}\nkind: ClusterRole\n{{ else }}\nkind: Role\n{{ end }}\n" + rules + "---\nkind: {{ .Values.kind }}\n" + rules + "---\n" + rules + "kind: \"Role\"\n"))
	var got []bool
	for _, r := range m.Rules {
		got = append(got, r.Namespaced)
	}
	if want := []bool{true, false, false, false, true}; !slices.Equal(got, want) {
		t.Errorf("namespaced are %v, want %v", got, want)
	}
}

// TestFlags checks which flags the command lines of a project are taken to give.
func TestFlags(t *testing.T) {
	m := &Manifests{project: true}
	m.readFlags([]byte(`
{{- /* give --in-template
    or --in-second-line */ -}}
args:
# - --in-comment
- --given # not --behind
- --metrics=#1 --after-hash
- "--quoted"
- --off=false
- {{ if .Values.ha }}--leader-elect{{ end }}{{/* c */}} --after-template
`))
	for flag, want := range map[string]bool{
		"in-template": false, "in-second-line": false, "in-comment": false, "given": true, "behind": false,
		"after-hash": true, "quoted": true, "off": false, "leader-elect": true, "after-template": true,
	} {
		if got := m.Gives(flag); got != want {
			t.Errorf("--%s is given: %t, want %t", flag, got, want)
		}
	}
}

// TestByKubeconfig checks which containers are taken to be given a kubeconfig.
func TestByKubeconfig(t *testing.T) {
	for text, want := range map[string]bool{
		"args:\n- --kubeconfig=/etc/kubeconfig\n":                                    true,
		"args:\n  - \"-kubeconfig\"\n  - /etc/kubeconfig\n":                          true,
		"args:\n# - --kubeconfig=/etc/kubeconfig\n":                                  false,
		"args:\n{{- if .Values.kubeconfig }}\n- --kubeconfig=/etc/kubeconfig\n":      false,
		"command: [kubectl, --kubeconfig=/etc/kubeconfig]\nargs:\n- --kubeconfigs\n": false,
	} {
		m := &Manifests{project: true}
		m.readKubeconfig([]byte(text))
		if m.ByKubeconfig != want {
			t.Errorf("of %q a kubeconfig is given: %t, want %t", text, m.ByKubeconfig, want)
		}
	}
}

// TestSchemas checks that a custom kind is read without what its versions are made of, and
// that nothing else is left out.
func TestSchemas(t *testing.T) {
	m := &Manifests{Plurals: make(map[[2]string]string)}
	m.Read([]byte(`# two kinds and a role
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boxes.example.com
spec:
  group: example.com
  versions:
  - name: v1
  # the only one
    schema:
      openAPIV3Schema:
        properties:
          group:
            default: "%"
  - name: v2

    served: false
  names:
    kind: Box
    plural: boxes
---
kind: CustomResourceDefinition
spec:
  validation:
    openAPIV3Schema: {}
  group: example.com
  names:
    kind: Ox
    plural: oxen
  versions:
    - name: v1
---
kind: Role
metadata:
  name: manager
rules:
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
`))
	if diff := cmp.Diff(map[[2]string]string{{"example.com", "Box"}: "boxes", {"example.com", "Ox"}: "oxen"}, m.Plurals); diff != "" {
		t.Errorf("wanted (-), got (+):\n%s", diff)
	}
	if len(m.Rules) != 1 || m.Rules[0].Role != "manager" {
		t.Errorf("rules %+v", m.Rules)
	}
}

func TestKnown(t *testing.T) {
	for _, test := range []struct{ path, kind, want string }{
		{"k8s.io/api/core/v1", "Endpoints", "/endpoints"}, {"k8s.io/api/networking/v1", "NetworkPolicy", "networking.k8s.io/networkpolicies"},
		{"k8s.io/api/rbac/v1", "Role", "rbac.authorization.k8s.io/roles"}, {"k8s.io/api/flowcontrol/v1", "FlowSchema", "flowcontrol.apiserver.k8s.io/flowschemas"},
		{"example.com/vendor/k8s.io/api/events/v1", "Event", "events.k8s.io/events"}, {"k8s.io/api/policy/v1", "PodDisruptionBudget", "policy/poddisruptionbudgets"},
		{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "CustomResourceDefinition", "apiextensions.k8s.io/customresourcedefinitions"},
	} {
		group, ok := GroupOfPackage(test.path)
		r, known := Known(group, test.kind)
		if got := group + "/" + r.Name; !ok || !known || got != test.want {
			t.Errorf("%s.%s is %s (%t, %t), want %s", test.path, test.kind, got, ok, known, test.want)
		}
	}
	if _, ok := GroupOfPackage("example.com/api/core/v1"); ok {
		t.Error("a package of somebody else's has a group")
	}
	for kind, want := range map[string]string{"Backup": "backups", "Policy": "policies", "Ingress": "ingresses", "Endpoints": "endpoints", "SecurityContextConstraints": "securitycontextconstraints"} {
		if got := Guess(kind); got != want {
			t.Errorf("%s is guessed %s, want %s", kind, got, want)
		}
	}
}

func TestRulesOf(t *testing.T) {
	rules := RulesOf([]Permission{
		{"", "pods", "", "watch"}, {"", "pods", "", "get"}, {"", "secrets", "", "get"}, {"", "secrets", "", "watch"}, {"", "pods", "log", "get"}, {"apps", "deployments", "", "create"},
	})
	var got []string
	for _, r := range rules {
		got = append(got, strings.TrimPrefix(r.Marker(), "// +kubebuilder:rbac:"))
	}
	want := []string{`groups="",resources=pods;secrets,verbs=get;watch`, `groups="",resources=pods/log,verbs=get`, `groups=apps,resources=deployments,verbs=create`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wanted (-), got (+):\n%s", diff)
	}
}

func TestMeant(t *testing.T) {
	for _, test := range []struct {
		groups         []string
		resource, want string
	}{
		{[]string{""}, "persistentvolumerclaims", "persistentvolumeclaims"}, {[]string{""}, "pod", "pods"}, {[]string{""}, "deployments", "deployments.apps"},
		{[]string{"apps"}, "deployment", "deployments.apps"}, {[]string{"batch"}, "cronjob", "cronjobs.batch"}, {[]string{"networking.k8s.io"}, "ingress", "ingresses.networking.k8s.io"},
		{[]string{""}, "pods", ""}, {[]string{"", "apps"}, "deployments", ""}, {[]string{""}, "external", ""}, {[]string{""}, "*", ""}, {[]string{"*"}, "pod", ""},
		{[]string{"example.dev"}, "pod", ""}, {[]string{"extensions"}, "podsecuritypolicies", ""}, {nil, "pod", ""}, {[]string{""}, "bindings", ""},
	} {
		group, name, ok := Meant(test.groups, test.resource)
		got := ""
		if ok {
			got = Permission{Group: group, Resource: name}.Qualified()
		}
		if got != test.want {
			t.Errorf("%s in %q: meant is %q, want %q", test.resource, test.groups, got, test.want)
		}
	}
}

func TestEveryones(t *testing.T) {
	for p, want := range map[Permission]bool{
		{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews", Verb: "create"}: true,
		{Group: "authorization.k8s.io", Resource: "subjectaccessreviews", Verb: "create"}:     false,
		{Group: "console.openshift.io", Resource: "consoleplugins", Verb: "watch"}:            true,
		{Group: "console.openshift.io", Resource: "consoleplugins", Verb: "update"}:           false,
		{Group: "config.openshift.io", Resource: "consoles", Verb: "watch"}:                   false,
		{Resource: "pods", Verb: "list"}:                                                      false,
	} {
		if got := p.IsEveryones(); got != want {
			t.Errorf("%v: %v", p, got)
		}
	}
}

// What comes with Kubernetes stands in no manifest.
func TestBuiltInRoles(t *testing.T) {
	all, reads := []string{"*"}, []string{"get", "list", "watch"}
	for _, test := range []struct {
		manifest string
		want     []Rule
		unseen   bool
	}{
		{"kind: RoleBinding\nmetadata: {namespace: a}\nroleRef: {kind: ClusterRole, name: admin}\n---\nkind: RoleBinding\nroleRef: {name: view}\n---\nkind: ClusterRoleBinding\nroleRef: {name: edit}\n", []Rule{
			{Groups: all, Resources: all, Verbs: all, Namespaced: true, Namespace: "a", Role: "admin"},
			{Groups: all, Resources: all, Verbs: reads, Namespaced: true, Role: "view"},
			{Groups: all, Resources: all, Verbs: all, Role: "edit"},
		}, false},
		{"{{ if .Values.admin }}\nkind: RoleBinding\nmetadata:\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\n  name: ours-{{ .Values.name }}\nroleRef:\n  kind: ClusterRole\n  name: \"admin\"\nsubjects:\n  - kind: ServiceAccount\n    name: ours\n{{ end }}\n", []Rule{
			{Groups: all, Resources: all, Verbs: all, Namespaced: true, Role: "admin"},
		}, false},
		{"kind: ClusterRoleBinding\nroleRef: {name: system:auth-delegator}\n", []Rule{
			{Groups: []string{"authentication.k8s.io", "authorization.k8s.io"}, Resources: []string{"tokenreviews", "subjectaccessreviews"}, Verbs: []string{"create"}, Role: "system:auth-delegator"},
		}, false},
		{"kind: ClusterRoleBinding\nroleRef: {name: ours}\n---\nkind: ClusterRoleBinding\nroleRef: {name: another}\n", nil, true},
		{"kind: ClusterRoleBinding\nroleRef: {name: generated}\n", nil, false},
		{"kind: ClusterRoleBinding\nroleRef: {name: ours}\n---\nkind: ClusterRole\nmetadata: {name: ours}\n", nil, false},
		{"kind: ClusterRoleBinding\nroleRef:\n  name: {{ .Values.role }}\n", nil, false},
		{"kind: ClusterRole\nmetadata:\n  labels:\n    app: {{ .Chart.Name }}\n  name: ours\n---\nkind: RoleBinding\nroleRef:\n  name: ours\nmetadata:\n  name: binds\n", nil, false},
		{"kind: RoleBinding\nroleRef: {name: system:openshift:scc:anyuid}\n", nil, false},
	} {
		m := &Manifests{Plurals: make(map[[2]string]string)}
		m.Read([]byte(test.manifest))
		if diff := cmp.Diff(test.want, m.Rules); diff != "" || m.Unseen() != test.unseen {
			t.Errorf("%s\nunseen %v; wanted (-), got (+):\n%s", test.manifest, m.Unseen(), diff)
		}
	}
}

// A project that binds nothing is installed from elsewhere.
func TestNothingBound(t *testing.T) {
	for manifest, unseen := range map[string]bool{
		"kind: ClusterRole\nmetadata: {name: ours}\nrules: []\n":                                            true,
		"kind: ClusterRole\nmetadata: {name: ours}\n---\nkind: ClusterRoleBinding\nroleRef: {name: ours}\n": false,
		"kind: ClusterServiceVersion\nspec: {install: {spec: {}}}\n":                                        false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ReadProject(dir).Unseen(); got != unseen {
			t.Errorf("%s\nunseen %v", manifest, got)
		}
	}
}

// What is installed for tests grants nothing to whoever runs the operator; a kind that it brings is
// called the same everywhere.
func TestFoldersOfTests(t *testing.T) {
	const both = "kind: ClusterRole\nmetadata: {name: ours}\nrules: [{apiGroups: [\"\"], resources: [pods], verbs: [list]}]\n" +
		"---\nkind: CustomResourceDefinition\nspec: {group: example.dev, names: {kind: Chaos, plural: chaos}}\n"
	for folder, want := range map[string]int{"config/rbac": 1, "test/config": 0, "e2e": 0, "charts/operator/templates/tests": 0} {
		root := t.TempDir()
		dir := filepath.Join(root, filepath.FromSlash(folder))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"plain.yaml": both, "template.yaml": "{{ if .Values.rbac }}\n" + both + "{{ end }}\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m := ReadProject(root)
		if len(m.Rules) != want || m.Plurals[[2]string{"example.dev", "Chaos"}] != "chaos" {
			t.Errorf("%s: rules %v, plurals %v", folder, m.Rules, m.Plurals)
		}
	}
}

func TestOwnRoles(t *testing.T) {
	m := &Manifests{Plurals: make(map[[2]string]string)}
	for _, text := range []string{
		"kind: CustomResourceDefinition\nspec: {group: example.dev, names: {kind: Chaos, plural: chaos}}\n",
		"kind: CustomResourceDefinition\nmetadata: {name: chaos.example.dev}\nspec: {conversion: {strategy: Webhook}}\n", // a patch
		"kind: ClusterRole\nmetadata: {name: manager}\nrules:\n- {apiGroups: [example.dev], resources: [chaos], verbs: [watch]}\n- {apiGroups: [\"\"], resources: [pods], verbs: [watch]}\n",
		"kind: ClusterRole\nmetadata: {name: metrics}\nrules: [{apiGroups: [\"\"], resources: [pods], verbs: [watch]}]\n",
		"kind: ClusterRole\nmetadata:\n  labels:\n    app: x\n  name: {{ .Release.Name }}-manager\nrules:\n- apiGroups: [example.dev]\n  resources: [chaos]\n  verbs: [watch]\n",
		"kind: ClusterRole\nmetadata:\n  name: {{ .Release.Name }}-metrics\nrules:\n- apiGroups: [\"\"]\n  resources: [pods]\n  verbs: [watch]\n",
	} {
		m.Read([]byte(text))
	}
	want := map[string]bool{"manager": true, "template {{ .Release.Name }}-manager": true}
	if diff := cmp.Diff(want, m.OwnRoles()); diff != "" {
		t.Errorf("wanted (-), got (+):\n%s", diff)
	}
}
