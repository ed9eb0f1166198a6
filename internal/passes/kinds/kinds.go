// Package kinds tells what the API server knows of a kind: whether its
// status is a subresource, and whether it is namespaced. It reads the markers
// on the Go type: of the user's own modules from the syntax under analysis
// (and hands them on as facts), of third-party modules from the source file
// that declares the type, of the built-in kinds from a table.
package kinds

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer finds the kinds; its result is a *[Kinds].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetkinds",
	Doc:        "find out which kinds have the status subresource",
	Run:        run,
	ResultType: reflect.TypeFor[*Kinds](),
	FactTypes:  []analysis.Fact{new(Kind)},
}

// Answer is yes, no or unknown.
type Answer uint8

// The answers; nothing is reported on account of an unknown one.
const (
	Unknown Answer = iota
	Yes
	No
)

// Kind is what is known of a kind. It is the fact on the kind's type name.
type Kind struct {
	// StatusSubresource tells whether the status is a subresource.
	StatusSubresource Answer
	// ClusterScoped tells whether objects have no namespace.
	ClusterScoped Answer
	// Markers tells that the answers come from kubebuilder markers on the
	// type, which a CRD manifest can overrule.
	Markers bool
	// Plural is the name of the resource as markers have it; empty if they do not.
	Plural string
	// FixedSpec tells that a rule of the CRD forbids all changes of the spec.
	FixedSpec bool
}

// AFact marks a fact on the name of a kind's type.
func (*Kind) AFact() {}

// Kinds answers for the kinds that a package can see.
type Kinds struct {
	fset *token.FileSet
	told *facts.Imported[Kind, *Kind] // nil if nothing can be known

	mu    sync.Mutex // several passes ask at the same time
	known map[*types.TypeName]Kind
	files map[string]map[string]Kind // file -> type name -> markers
}

// declared are the kinds that files of other packages declare.
var declared facts.PerProgram[map[string]Kind]

func run(pass *analysis.Pass) (any, error) {
	k := &Kinds{fset: pass.Fset, known: make(map[*types.TypeName]Kind), files: make(map[string]map[string]Kind)}
	// A driver that knows no modules may be kept from the sources of all but the
	// package under analysis (nogo in Bazel's sandbox): then third-party types
	// need a fact, too.
	if pass.Module != nil && !kubeapi.InUserModule(pass) || !kubeapi.RelevantPass(pass) {
		return k, nil
	}
	for spec, info := range readAll(pass.Files...) {
		tn, ok := pass.TypesInfo.Defs[spec.Name].(*types.TypeName)
		if !ok || kubeapi.KindOf(tn.Type()) == nil {
			continue
		}
		k.known[tn] = info
		if info != (Kind{}) {
			pass.ExportObjectFact(tn, &info)
		}
	}
	k.told = facts.NewImported[Kind](pass)
	return k, nil
}

// Of returns what is known of a kind.
func (k *Kinds) Of(kind *types.Named) Kind {
	if info, ok := builtin(kind); ok {
		return info
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	info, ok := k.known[kind.Obj()]
	if !ok {
		info = k.elsewhere(kind.Obj())
		k.known[kind.Obj()] = info
	}
	return info
}

// builtin answers for the kinds that Kubernetes itself serves.
func builtin(kind *types.Named) (Kind, bool) {
	path := kubeapi.PackagePath(kind.Obj().Pkg())
	if !strings.HasPrefix(path, "k8s.io/api/") && !strings.HasPrefix(path, "k8s.io/apiextensions-apiserver/pkg/apis/") && !strings.HasPrefix(path, "k8s.io/kube-aggregator/pkg/apis/") {
		return Kind{}, false
	}
	info := Kind{StatusSubresource: No, ClusterScoped: No}
	if kubeapi.StatusField(kind) != nil {
		info.StatusSubresource = Yes
	}
	if clusterScoped[kind.Obj().Name()] {
		info.ClusterScoped = Yes
	}
	return info, true
}

// StatusKeepsMetadata reports whether the status endpoint of a kind stores changes
// of the metadata as well. That of a custom resource stores the status alone;
// Kubernetes' own leave out the spec, and seldom anything else; so do OpenShift's where
// a server of its own has them.
func StatusKeepsMetadata(kind *types.Named) bool {
	_, ok := builtin(kind)
	return ok || isAggregated(kind)
}

// isAggregated reports whether a kind is served by openshift-apiserver or
// openshift-oauth-apiserver, and is no custom resource.
func isAggregated(kind *types.Named) bool {
	group, ok := strings.CutPrefix(kubeapi.PackagePath(kind.Obj().Pkg()), "github.com/openshift/api/")
	group, _, _ = strings.Cut(group, "/")
	return ok && slices.Contains([]string{"apps", "build", "image", "oauth", "project", "route", "template", "user"}, group)
}

// CreateKeepsStatus reports whether an object of a kind can be created with its
// status: a kubelet registers its Node so.
func CreateKeepsStatus(kind *types.Named) bool {
	_, ok := builtin(kind)
	return ok && kind.Obj().Name() == "Node"
}

// clusterScoped lists the built-in kinds without a namespace.
var clusterScoped = map[string]bool{
	"Node": true, "Namespace": true, "PersistentVolume": true,
	"ClusterRole": true, "ClusterRoleBinding": true,
	"StorageClass": true, "VolumeAttachment": true, "CSIDriver": true, "CSINode": true, "VolumeAttributesClass": true,
	"CustomResourceDefinition": true, "APIService": true,
	"MutatingWebhookConfiguration": true, "ValidatingWebhookConfiguration": true,
	"ValidatingAdmissionPolicy": true, "ValidatingAdmissionPolicyBinding": true,
	"MutatingAdmissionPolicy": true, "MutatingAdmissionPolicyBinding": true,
	"PriorityClass": true, "RuntimeClass": true, "IngressClass": true, "IPAddress": true, "ServiceCIDR": true,
	"FlowSchema": true, "PriorityLevelConfiguration": true,
	"CertificateSigningRequest": true, "ClusterTrustBundle": true,
	"DeviceClass": true, "ResourceSlice": true,
	"TokenReview": true, "SubjectAccessReview": true, "SelfSubjectAccessReview": true, "SelfSubjectRulesReview": true,
	"PodSecurityPolicy": true, "ComponentStatus": true,
}

// elsewhere tells of a kind that is declared in another package.
func (k *Kinds) elsewhere(tn *types.TypeName) Kind {
	if k.told != nil {
		if told := k.told.Of(tn); told != nil {
			return *told
		}
	}
	return k.fromSource(tn)
}

// fromSource reads the markers of a third-party type where it is declared.
// Without the source, nothing is known.
func (k *Kinds) fromSource(tn *types.TypeName) Kind {
	name := syntax.SourceFile(k.fset, tn.Pos())
	if !strings.HasSuffix(name, ".go") {
		return Kind{}
	}
	known, ok := k.files[name]
	if !ok {
		known = declared.Of(k.fset, name, func() map[string]Kind { return read(name) })
		k.files[name] = known
	}
	return known[tn.Name()]
}

// read reads the markers of the types in a file, as far as that is there (a sandbox).
func read(name string) map[string]Kind {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	known := make(map[string]Kind)
	for spec, info := range readAll(file) {
		known[spec.Name.Name] = info
	}
	return known
}

// typeMarkers yields the type declarations of a file with the comments before
// each: its documentation, and comment groups between it and the declaration
// before, where controller-gen looks for markers, too.
func typeMarkers(file *ast.File) func(yield func(*ast.TypeSpec, []string) bool) {
	return func(yield func(*ast.TypeSpec, []string) bool) {
		after := file.Name.End()
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if ok && gen.Tok == token.TYPE {
				from := after
				for _, spec := range gen.Specs {
					spec := spec.(*ast.TypeSpec)
					if !yield(spec, commentsBetween(file, from, spec.Pos())) {
						return
					}
					from = spec.End()
				}
			}
			after = decl.End()
		}
	}
}

func commentsBetween(file *ast.File, from, to token.Pos) []string {
	var lines []string
	for _, group := range file.Comments {
		if group.Pos() < from || group.Pos() >= to {
			continue
		}
		for _, c := range group.List {
			lines = append(lines, c.Text)
		}
	}
	return lines
}

// readAll reads the markers of all types of a package. That a type lacks the
// marker of the subresource or of a scope says something only where the CRDs are generated from
// markers: some projects use them for the schema alone and keep the manifests
// by hand, or mirror the types of another one.
func readAll(files ...*ast.File) map[*ast.TypeSpec]Kind {
	found := make(map[*ast.TypeSpec]Kind)
	generated := false
	for _, file := range files {
		for spec, comments := range typeMarkers(file) {
			info, describesCRD := readMarkers(comments)
			info.FixedSpec = isSpecFixed(spec)
			found[spec] = info
			generated = generated || describesCRD
		}
	}
	for spec, info := range found {
		if !info.Markers || !generated {
			continue
		}
		if info.StatusSubresource == Unknown {
			info.StatusSubresource = No
		}
		if info.ClusterScoped == Unknown {
			info.ClusterScoped = No
		}
		found[spec] = info
	}
	return found
}

// isSpecFixed reports whether a marker on the spec of a kind says that it is the same for ever.
func isSpecFixed(kind *ast.TypeSpec) bool {
	object, ok := kind.Type.(*ast.StructType)
	if !ok {
		return false
	}
	for _, field := range object.Fields.List {
		if field.Doc == nil || !slices.ContainsFunc(field.Names, func(name *ast.Ident) bool { return name.Name == "Spec" }) {
			continue
		}
		if slices.ContainsFunc(field.Doc.List, func(line *ast.Comment) bool { return fixed.MatchString(line.Text) }) {
			return true
		}
	}
	return false
}

// fixed is the marker of a rule of the Common Expression Language that compares with the old value.
var fixed = regexp.MustCompile("^//\\s*\\+kubebuilder:validation:XValidation:rule=[\"`]self == oldSelf[\"`]")

// readMarkers reads the markers that kubebuilder's controller-gen knows, see
// https://book.kubebuilder.io/reference/markers/crd. describesCRD tells that
// there are some beyond those for the schema.
func readMarkers(comments []string) (info Kind, describesCRD bool) {
	scope := Unknown
	for _, line := range comments {
		marker, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(line, "//"), " \t"), "+")
		if !ok {
			continue
		}
		marker = strings.TrimSpace(marker)
		switch {
		case marker == "kubebuilder:subresource:status" || strings.HasPrefix(marker, "kubebuilder:subresource:status:"):
			info.StatusSubresource = Yes
			info.Markers, describesCRD = true, true
		case strings.HasPrefix(marker, "kubebuilder:resource"):
			info.Markers, describesCRD = true, true
			scope = scopeOf(argument(marker, "scope")) // of several, the last one decides
			info.Plural = cmp.Or(argument(marker, "path"), info.Plural)
		case strings.HasPrefix(marker, "resourceName="):
			info.Plural = strings.TrimPrefix(marker, "resourceName=")
		case strings.HasPrefix(marker, "kubebuilder:printcolumn"),
			strings.HasPrefix(marker, "kubebuilder:subresource:"):
			info.Markers, describesCRD = true, true
		case strings.HasPrefix(marker, "kubebuilder:object:root"),
			strings.HasPrefix(marker, "kubebuilder:storageversion"):
			info.Markers = true
		case marker == "genclient:nonNamespaced":
			info.ClusterScoped = Yes
		}
	}
	if info.ClusterScoped == Unknown {
		info.ClusterScoped = scope
	}
	return info, describesCRD
}

// scopeOf reads the scope that a marker names.
func scopeOf(name string) Answer {
	switch name {
	case "Cluster":
		return Yes
	case "":
		return Unknown
	}
	return No
}

// argument returns what an argument of a marker is set to, or an empty string.
func argument(marker, name string) string {
	_, arguments, _ := strings.Cut(marker, "resource:")
	for argument := range strings.SplitSeq(arguments, ",") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(argument), name+"="); ok {
			return strings.Trim(value, "\"`")
		}
	}
	return ""
}
