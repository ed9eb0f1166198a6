package webhookdelete

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/report/rule"
)

// registration says what a webhook is asked about: resources, and operations on them.
type registration struct {
	name                  string // of the webhook, if that is known
	resources, operations []string
}

// project is what the manifests of a project say of webhooks.
type project struct {
	registered []registration
	spared     map[string]bool // those that the operator's own requests do not reach, by name
}

// isFor reports whether a registration is for a kind.
func (r registration) isFor(kind string) bool {
	plural, singular := rbac.Guess(kind), strings.ToLower(kind)
	return slices.ContainsFunc(r.resources, func(resource string) bool {
		ending, isLike := strings.CutPrefix(resource, singular)
		return resource == "*" || resource == "*/*" || resource == plural || isLike && len(ending) <= len("es")
	})
}

func (r registration) updates() bool {
	return slices.ContainsFunc(r.operations, func(operation string) bool { return operation == "*" || strings.EqualFold(operation, "update") })
}

// harm is the category's where all that it takes is in sight: the webhook's kind is one of
// the module, and a marker or a manifest registers a webhook for updates of it, or the handler
// asks itself whether it is one. It is hygiene otherwise: what is left are other people's finalizers, or no update at all.
func (w *walk) harm(kind string) rule.Harm {
	name := kind[strings.LastIndexByte(kind, '.')+1:]
	if kind == "" || !w.asksForUpdates() && w.isPicked() || !w.updated(name) {
		return rule.Hygiene
	}
	return 0
}

// updated reports whether a webhook for a kind is asked about the operator's updates: by the markers in
// the package, or else by the manifests of the project; where neither names the kind, by what
// its handler asks.
func (w *walk) updated(kind string) bool {
	manifests := ofProject(w.pass, w.report)
	for _, known := range [][]registration{marked(w.pass), manifests.registered} {
		found := false
		for _, r := range known {
			if r.isFor(kind) {
				if r.updates() && !manifests.spared[r.name] {
					return true
				}
				found = true
			}
		}
		if found {
			return false
		}
	}
	return w.asksForUpdates()
}

// isPicked reports whether the handler is one of several that a map has, from which its
// user takes the one for a request, by its operation perhaps.
func (w *walk) isPicked() bool {
	for _, fn := range w.sums.Calls.BottomUp() {
		for update := range blocks.InstrsOf[*ssa.MapUpdate](fn) {
			if kubeapi.IsFuncType(update.Value.Type()) && slices.Contains(w.sums.Calls.FuncsOf(update.Value).Funcs, w.entry.Fn) {
				return true
			}
		}
	}
	return false
}

// asksForUpdates reports whether a function of the handler asks whether the operation is
// an update.
func (w *walk) asksForUpdates() bool {
	for fn := range w.seen {
		for op := range blocks.InstrsOf[*ssa.BinOp](fn) {
			if operation, ok := kubeapi.ComparesOperation(op); ok && operation == "UPDATE" {
				return true
			}
		}
	}
	return false
}

// marked are the registrations by markers in the package.
func marked(pass *analysis.Pass) []registration {
	var found []registration
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if _, arguments, ok := strings.Cut(comment.Text, marker); ok {
					found = append(found, registration{strings.Join(argument(arguments, "name"), ""), argument(arguments, "resources"), argument(arguments, "verbs")})
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
var projects facts.PerProgram[project]

// ofProject are the registrations in the manifests of the project that a package is of.
func ofProject(pass *analysis.Pass, report *rule.Reporter) project {
	name := pass.Fset.Position(pass.Files[0].FileStart).Filename
	if !filepath.IsAbs(name) {
		return project{}
	}
	root := permissions.ProjectOf(filepath.Dir(name))
	if root == "" {
		return project{}
	}
	report.ReadsBelow(root, rule.Manifests)
	return projects.Of(pass.Fset, root, func() project {
		found := project{spared: make(map[string]bool)}
		rbac.EachManifest(root, func(_ string, data []byte) {
			text := string(data)
			if strings.Contains(text, "operations:") {
				found.registered = append(found.registered, registered(text)...)
			}
			if strings.Contains(text, "matchConditions:") {
				for _, webhook := range webhooks(text) {
					found.spared[webhook.Name] = found.spared[webhook.Name] || webhook.sparesOperator()
				}
			}
		})
		return found
	})
}

// webhook is one of a configuration, or of what kustomize merges into one.
type webhook struct {
	Name            string
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
		var configuration struct{ Webhooks []webhook }
		if yaml.Unmarshal([]byte(document), &configuration) != nil {
			return nil
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
func registered(text string) []registration {
	var found []registration
	for _, webhook := range webhooks(text) {
		for _, r := range webhook.Rules {
			if len(r.Operations) > 0 && len(r.Resources) > 0 {
				found = append(found, registration{webhook.Name, r.Resources, r.Operations})
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
func byLines(text string) []registration {
	var found []registration
	var r registration
	var into *[]string
	column := 0
	flush := func() {
		if len(r.operations) > 0 && len(r.resources) > 0 {
			found = append(found, r)
		}
		r, into = registration{}, nil
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
			into = &r.operations
		case "resources":
			into = &r.resources
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
