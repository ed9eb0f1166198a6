// Package registered tells what webhooks are asked about, by markers and the manifests of a
// project.
package registered

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/report/rule"
)

// Registration says what a webhook is asked about: resources, and operations on them.
type Registration struct {
	Name                  string // of the webhook, if that is known
	Does                  Doing
	Resources, Operations []string
}

// Doing is what a webhook does with an object, as far as that is known.
type Doing string

// What a webhook may do.
const (
	Mutates   Doing = "Mutating"
	Validates Doing = "Validating"
)

// Project is what the manifests of a project say of webhooks.
type Project struct {
	Registered []Registration
	Spared     map[string]bool // those that the operator's own requests do not reach, by name
}

// IsFor reports whether a Registration is for a kind.
func (r Registration) IsFor(kind string) bool {
	plural, singular := rbac.Guess(kind), strings.ToLower(kind)
	return slices.ContainsFunc(r.Resources, func(resource string) bool {
		ending, isLike := strings.CutPrefix(resource, singular)
		return resource == "*" || resource == "*/*" || resource == plural || isLike && len(ending) <= len("es")
	})
}

// Updates reports whether the webhook is asked about updates.
func (r Registration) Updates() bool {
	return slices.ContainsFunc(r.Operations, func(operation string) bool { return operation == "*" || strings.EqualFold(operation, "update") })
}

const marker = "+kubebuilder:webhook:"

// Marked are the registrations by markers in the package.
func Marked(pass *analysis.Pass) []Registration {
	var found []Registration
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if _, arguments, ok := strings.Cut(comment.Text, marker); ok {
					does := map[string]Doing{"true": Mutates, "false": Validates}[strings.Join(argument(arguments, "mutating"), "")]
					found = append(found, Registration{strings.Join(argument(arguments, "name"), ""), does, argument(arguments, "resources"), argument(arguments, "verbs")})
				}
			}
		}
	}
	return found
}

// argument is the list that a marker has under a name.
func argument(arguments, name string) []string {
	for part := range strings.SplitSeq(arguments, ",") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(part), name+"="); ok {
			return strings.FieldsFunc(value, func(r rune) bool { return r == ';' || r == '{' || r == '}' || r == '"' })
		}
	}
	return nil
}

// projects are those that have been read.
var projects facts.PerProgram[Project]

// OfProject are the registrations in the manifests of the project that a package is of.
func OfProject(pass *analysis.Pass, report *rule.Reporter) Project {
	name := pass.Fset.Position(pass.Files[0].FileStart).Filename
	if !filepath.IsAbs(name) {
		return Project{}
	}
	root := permissions.ProjectOf(filepath.Dir(name))
	if root == "" {
		return Project{}
	}
	report.ReadsBelow(root, rule.Manifests)
	return projects.Of(pass.Fset, root, func() Project {
		found := Project{Spared: make(map[string]bool)}
		rbac.EachManifest(root, func(_ string, data []byte) {
			text := string(data)
			if strings.Contains(text, "operations:") {
				found.Registered = append(found.Registered, registered(text)...)
			}
			if strings.Contains(text, "matchConditions:") {
				for _, webhook := range webhooks(text) {
					found.Spared[webhook.Name] = found.Spared[webhook.Name] || webhook.sparesOperator()
				}
			}
		})
		return found
	})
}

// webhook is one of a configuration, or of what kustomize merges into one.
type webhook struct {
	Name            string
	Does            Doing `yaml:"-"`
	Rules           []struct{ Operations, Resources []string }
	MatchConditions []struct{ Expression string } `yaml:"matchConditions"`
}

// serviceAccount is the name by which a condition knows a service account.
var serviceAccount = regexp.MustCompile(`system:serviceaccount:([^:'"]*)`)

// sparesOperator reports whether requests of a service account do not reach a webhook which is
// none of Kubernetes' own: the operator's, that is, as nobody else is known by name.
func (w *webhook) sparesOperator() bool {
	for _, condition := range w.MatchConditions {
		if !strings.Contains(condition.Expression, "request.userInfo.username") || !strings.Contains(condition.Expression, "!") {
			continue
		}
		for _, account := range serviceAccount.FindAllStringSubmatch(condition.Expression, -1) {
			if account[1] != "kube-system" {
				return true
			}
		}
	}
	return false
}

// webhooks are those in a manifest; none where it is a template, or something else.
func webhooks(text string) []webhook {
	var found []webhook
	for document := range strings.SplitSeq(text, "\n---") {
		var configuration struct {
			Kind     string
			Webhooks []webhook
		}
		if yaml.Unmarshal([]byte(document), &configuration) != nil {
			return nil
		}
		does, _ := strings.CutSuffix(configuration.Kind, "WebhookConfiguration")
		for i := range configuration.Webhooks {
			configuration.Webhooks[i].Does = Doing(does)
		}
		found = append(found, configuration.Webhooks...)
	}
	return found
}

var (
	ruleKey  = regexp.MustCompile(`^(\s*)(- )?\s*(apiGroups|apiVersions|operations|resources|scope):\s*(.*)$`)
	ruleItem = regexp.MustCompile(`^\s*-\s*["']?([^"'\s#{}]*)["']?\s*(#.*)?$`)
)

// registered reads the rules of webhooks from a manifest.
func registered(text string) []Registration {
	var found []Registration
	for _, webhook := range webhooks(text) {
		for _, r := range webhook.Rules {
			if len(r.Operations) > 0 && len(r.Resources) > 0 {
				found = append(found, Registration{webhook.Name, webhook.Does, r.Resources, r.Operations})
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	return byLines(text)
}

// byLines reads them from a template, line by line: they are one form in configurations and
// in the versions of OLM's bundles.
func byLines(text string) []Registration {
	var found []Registration
	var r Registration
	var into *[]string
	column := 0
	flush := func() {
		if len(r.Operations) > 0 && len(r.Resources) > 0 {
			found = append(found, r)
		}
		r, into = Registration{}, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "{{") {
			continue
		}
		match := ruleKey.FindStringSubmatch(line)
		if match == nil {
			if item := ruleItem.FindStringSubmatch(line); into != nil && item != nil {
				*into = append(*into, item[1])
			} else {
				into = nil
			}
			continue
		}
		at := len(match[1]) + len(match[2])
		if match[2] != "" || at != column {
			flush()
		}
		column, into = at, nil
		switch match[3] {
		case "operations":
			into = &r.Operations
		case "resources":
			into = &r.Resources
		default:
			continue
		}
		if list, ok := strings.CutPrefix(match[4], "["); ok {
			list, _, _ = strings.Cut(list, "]")
			for item := range strings.SplitSeq(list, ",") {
				*into = append(*into, strings.Trim(item, ` "'`))
			}
			into = nil
		}
	}
	flush()
	return found
}
