package cluster

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// roles are what opvet rbac prints: a ClusterRole, and a Role for the namespace where the
// leader is elected.
type roles struct{ cluster, leader []rbacv1.PolicyRule }

// built is the command, once it has been built.
var built string

// command builds the command once, so that one and the same is asked all along.
func command(t *testing.T) string {
	t.Helper()
	if built == "" {
		built = build(t, "opvet", root, "./cmd/opvet")
	}
	return built
}

// opvet runs the command in a folder, and returns what it prints.
func opvet(exe, dir string, args ...string) (string, error) {
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // there are findings
	}
	if err != nil {
		return "", fmt.Errorf("opvet %s: %w\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// printedRoles returns the roles that opvet rbac prints for a program.
func printedRoles(t *testing.T, dir, pkg string) roles {
	t.Helper()
	out, err := opvet(command(t), dir, "rbac", "-format", "yaml", pkg)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("opvet rbac -format yaml %s\n%s", pkg, out)
	return parseRoles(t, out)
}

func parseRoles(t *testing.T, text string) roles {
	t.Helper()
	var r roles
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		var role struct {
			metav1.TypeMeta `json:",inline"`
			Rules           []rbacv1.PolicyRule
		}
		if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
			return r
		} else if err != nil {
			t.Fatalf("what opvet rbac prints is no YAML: %v\n%s", err, text)
		}
		switch role.Kind {
		case "ClusterRole":
			r.cluster = role.Rules
		case "Role":
			r.leader = role.Rules
		}
	}
}

// permissions lists what roles grant, one by one.
func (r roles) permissions() []permission {
	var list []permission
	for _, rule := range slices.Concat(r.cluster, r.leader) {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					p := permission{Group: group, Verb: verb}
					p.Resource, p.Sub, _ = strings.Cut(resource, "/")
					if !slices.Contains(list, p) {
						list = append(list, p)
					}
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b permission) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Resource, b.Resource), strings.Compare(a.Sub, b.Sub), strings.Compare(a.Verb, b.Verb))
	})
	return list
}

// without returns the roles without one permission.
func (r roles) without(p permission) roles {
	return roles{takeFrom(r.cluster, p), takeFrom(r.leader, p)}
}

func takeFrom(rules []rbacv1.PolicyRule, p permission) []rbacv1.PolicyRule {
	target := p.Resource
	if p.Sub != "" {
		target += "/" + p.Sub
	}
	var left []rbacv1.PolicyRule
	for _, rule := range rules {
		if !slices.Contains(rule.APIGroups, p.Group) || !slices.Contains(rule.Resources, target) {
			left = append(left, rule)
			continue
		}
		others := *rule.DeepCopy()
		others.Resources = slices.DeleteFunc(others.Resources, func(s string) bool { return s == target })
		if len(others.Resources) > 0 {
			left = append(left, others)
		}
		rest := *rule.DeepCopy()
		rest.Resources = []string{target}
		rest.Verbs = slices.DeleteFunc(rest.Verbs, func(s string) bool { return s == p.Verb })
		if len(rest.Verbs) > 0 {
			left = append(left, rest)
		}
	}
	return left
}

// writeFile writes roles for opvet to read.
func (r roles) writeFile(t *testing.T, file string) {
	t.Helper()
	var out bytes.Buffer
	for _, role := range []struct {
		kind  string
		rules []rbacv1.PolicyRule
	}{{"ClusterRole", r.cluster}, {"Role", r.leader}} {
		data, err := sigsyaml.Marshal(map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": role.kind, "metadata": map[string]any{"name": "it"}, "rules": role.rules,
		})
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n")
		out.Write(data)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// reports returns a function that asks opvet whether a role lacks a permission.
func reports(t *testing.T, dir, pkg string, r roles, p permission) func() bool {
	t.Helper()
	file := filepath.Join(t.TempDir(), "roles.yaml")
	r.writeFile(t, file)
	exe := command(t)
	return func() bool {
		out, err := opvet(exe, dir, "-rbac", "-cache=off", "-rbac.roles="+file, pkg)
		if err != nil {
			t.Error(err)
		}
		return p.lacksIn(out)
	}
}

// lacksIn reports whether findings name a permission: the resource with its group, or
// without, where the message had no room for that.
func (p permission) lacksIn(findings string) bool {
	_, full, _ := strings.Cut(p.String(), " ")
	_, short, _ := strings.Cut(permission{Resource: p.Resource, Sub: p.Sub, Verb: p.Verb}.String(), " ")
	for line := range strings.Lines(findings) {
		_, lack, _ := strings.Cut(line, "no role grants ")
		verbs, on, found := strings.Cut(lack, " of ")
		words := strings.FieldsFunc(verbs, func(r rune) bool { return r == ',' || r == ' ' })
		if found && (strings.HasPrefix(on, full+";") || strings.HasPrefix(on, short+";")) && slices.Contains(words, p.Verb) {
			return true
		}
	}
	return false
}
