package driver

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"slices"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/objectpath"

	"github.com/opvet/opvet/internal/driver/cache"
	"github.com/opvet/opvet/internal/report/rule"
)

// entry is what is kept of a package that was analysed: what was found, and the
// facts for those that import it. Places are files and offsets; the files are
// read again for the few in which there is something.
type entry struct {
	Findings keptFindings
	Facts    []byte // [keptFact]s, decoded only if an importer is analysed
	// Below has the folders whose other files the findings depend on, with a hash
	// of each.
	Below []keptFolder `json:",omitempty"`
	// Others has the files of other packages that the analyzers have read, with a hash of each.
	Others map[string]string `json:",omitempty"`
	// Seen is a hash of what importers see of the package.
	Seen cache.Key
	// Summary is a [processes.Summary], decoded only if something depends on it.
	Summary []byte

	unit  *unitResult // what the findings were restored to
	facts []keptFact
}

type keptFindings struct {
	Imports map[string]string `json:",omitempty"` // name by path, for fixes
	Files   []keptFile        `json:",omitempty"`
	Found   []keptFinding     `json:",omitempty"`
}

// keptFolder is a folder with a hash of what counts below it.
type keptFolder struct {
	rule.Folder
	Sum string
}

// keptFile is a file with places in it. One that export data tells of has
// lines only: its Lines are as many as that, each of one byte.
type keptFile struct {
	Name  string
	Size  int
	Sum   string `json:",omitempty"`
	Lines int    `json:",omitempty"`
}

func sumOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// keptPos is the index of a file, from 1, and an offset; zero for no place.
type keptPos [2]int

type (
	keptFinding struct {
		Analyzer               string
		Harm                   rule.Harm
		Pos, End               keptPos
		Category, Message, URL string
		Cause                  string          `json:",omitempty"`
		Related                []keptRelated   `json:",omitempty"`
		Fixes                  []keptFix       `json:",omitempty"`
		If                     *rule.Condition `json:",omitempty"`
	}
	keptRelated struct {
		Pos, End keptPos
		Message  string
	}
	keptFix struct {
		Message string
		Edits   []keptEdit
	}
	keptEdit struct {
		Pos, End keptPos
		New      []byte
	}
	keptFact struct {
		Analyzer string
		Object   objectpath.Path // empty for a fact about the package
		Fact     analysis.Fact
	}
)

// errNotKept says that something cannot be kept exactly as it is.
var errNotKept = errors.New("it cannot be kept")

// encode encodes the entry with what was found in a package.
func (e entry) encode(unit *unitResult, roots []*analysis.Analyzer, facts []keptFact, place cache.Copy) ([]byte, error) {
	k := &keeper{fset: unit.pkg.Fset, place: place, files: make(map[*token.File]int)}
	for _, a := range roots {
		found, _ := unit.found(a)
		for _, d := range found {
			k.finding(a, d)
		}
	}
	if k.err != nil {
		return nil, k.err
	}
	if slices.ContainsFunc(k.out.Found, func(f keptFinding) bool { return len(f.Fixes) > 0 }) {
		k.out.Imports = make(map[string]string)
		for _, imported := range unit.pkg.Types.Imports() {
			k.out.Imports[imported.Path()] = imported.Name()
		}
	}
	e.Findings = k.out
	var err error
	if e.Summary, err = encoded(unit.summary); err != nil {
		return nil, fmt.Errorf("encoding the summary: %w", err)
	}
	if len(facts) > 0 {
		if e.Facts, err = encoded(facts); err != nil {
			return nil, fmt.Errorf("encoding the facts: %w", err)
		}
	}
	return json.Marshal(e)
}

// encoded is what gob makes of a value.
func encoded(value any) ([]byte, error) {
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(value)
	return buf.Bytes(), err
}

func decodeEntry(data []byte) (*entry, error) {
	e := new(entry)
	if err := json.Unmarshal(data, e); err != nil {
		return nil, err
	}
	return e, nil
}

// decodeFacts decodes the facts, whose types must be registered.
func (e *entry) decodeFacts() error {
	if len(e.Facts) == 0 || e.facts != nil {
		return nil
	}
	return gob.NewDecoder(bytes.NewReader(e.Facts)).Decode(&e.facts)
}

// keeper turns findings into what is kept of them.
type keeper struct {
	fset  *token.FileSet
	place cache.Copy
	files map[*token.File]int
	out   keptFindings
	err   error
}

func (k *keeper) finding(a *analysis.Analyzer, d rule.Diagnostic) {
	f := keptFinding{
		Analyzer: a.Name, Harm: d.Harm, Pos: k.pos(d.Pos), End: k.pos(d.End),
		Category: d.Category, Message: k.text(d.Message), URL: d.URL, Cause: d.Cause, If: d.If,
	}
	for _, related := range d.Related {
		f.Related = append(f.Related, keptRelated{k.pos(related.Pos), k.pos(related.End), k.text(related.Message)})
	}
	for _, fix := range d.SuggestedFixes {
		kept := keptFix{Message: k.text(fix.Message)}
		for _, edit := range fix.TextEdits {
			kept.Edits = append(kept.Edits, keptEdit{k.pos(edit.Pos), k.pos(edit.End), edit.NewText})
		}
		f.Fixes = append(f.Fixes, kept)
	}
	k.out.Found = append(k.out.Found, f)
}

// text returns a text that JSON leaves as it is.
func (k *keeper) text(text string) string {
	if !utf8.ValidString(text) {
		k.err = errNotKept
	}
	return text
}

func (k *keeper) pos(pos token.Pos) keptPos {
	if !pos.IsValid() {
		return keptPos{}
	}
	file := k.fset.File(pos)
	if file == nil {
		k.err = errNotKept
		return keptPos{}
	}
	i, ok := k.files[file]
	if !ok {
		kept := keptFile{Name: k.text(k.place.Original(file.Name())), Size: file.Size()}
		if isLinesOnly(file) {
			kept.Lines = file.LineCount()
		} else if content, err := os.ReadFile(file.Name()); err != nil || len(content) != file.Size() {
			k.err = errNotKept
		} else {
			kept.Sum = sumOf(content)
		}
		k.out.Files = append(k.out.Files, kept)
		i = len(k.out.Files)
		k.files[file] = i
	}
	return keptPos{i, file.Offset(pos)}
}

// isLinesOnly reports whether a file is known from export data, which has lines
// and no columns.
func isLinesOnly(file *token.File) bool {
	for i, start := range file.Lines() {
		if i != start {
			return false
		}
	}
	return file.LineCount() > 1
}

// restore returns the result of analysing a package, as it was.
func (e *entry) restore(pkg *packages.Package, analyzers []*analysis.Analyzer, place cache.Copy) (*unitResult, error) {
	r := &rememberer{fset: token.NewFileSet()}
	for _, file := range e.Findings.Files {
		file.Name = place.Copied(file.Name)
		if err := r.file(file); err != nil {
			return nil, err
		}
	}
	shown := &packages.Package{ID: pkg.ID, PkgPath: pkg.PkgPath, Name: pkg.Name, GoFiles: pkg.GoFiles, Fset: r.fset}
	shown.Types = types.NewPackage(pkg.PkgPath, pkg.Name)
	var imports []*types.Package
	for path, name := range e.Findings.Imports {
		imports = append(imports, types.NewPackage(path, name))
	}
	shown.Types.SetImports(imports)
	unit := &unitResult{pkg: shown, kept: make(map[*analysis.Analyzer][]rule.Diagnostic), encoded: e.Summary}
	byName := make(map[string]*analysis.Analyzer)
	for _, a := range analyzers {
		byName[a.Name] = a
		unit.kept[a] = nil
	}
	for _, f := range e.Findings.Found {
		a := byName[f.Analyzer]
		if a == nil {
			return nil, fmt.Errorf("no analyzer is named %q", f.Analyzer)
		}
		unit.kept[a] = append(unit.kept[a], r.finding(f))
	}
	return unit, r.err
}

// rememberer turns back what a [keeper] has made.
type rememberer struct {
	fset  *token.FileSet
	files []*token.File
	err   error
}

// file adds a file as loading would have: comments tell of other places.
func (r *rememberer) file(kept keptFile) error {
	if kept.Lines > 0 {
		file := r.fset.AddFile(kept.Name, -1, kept.Size)
		lines := make([]int, kept.Lines)
		for i := range lines {
			lines[i] = i
		}
		if !file.SetLines(lines) {
			return fmt.Errorf("%s has no such lines", kept.Name)
		}
		r.files = append(r.files, file)
		return nil
	}
	content, err := os.ReadFile(kept.Name)
	if err != nil {
		return err
	}
	if len(content) != kept.Size || sumOf(content) != kept.Sum {
		return fmt.Errorf("%s has changed", kept.Name)
	}
	syntax, err := parser.ParseFile(r.fset, kept.Name, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	r.files = append(r.files, r.fset.File(syntax.FileStart))
	return nil
}

func (r *rememberer) pos(kept keptPos) token.Pos {
	switch {
	case kept == keptPos{}:
		return token.NoPos
	case kept[0] < 1 || kept[0] > len(r.files) || kept[1] < 0 || kept[1] > r.files[kept[0]-1].Size():
		r.err = errors.New("a place is in no file")
		return token.NoPos
	}
	return r.files[kept[0]-1].Pos(kept[1])
}

func (r *rememberer) finding(kept keptFinding) rule.Diagnostic {
	d := rule.Diagnostic{Harm: kept.Harm, Cause: kept.Cause, If: kept.If, Diagnostic: analysis.Diagnostic{
		Pos: r.pos(kept.Pos), End: r.pos(kept.End), Category: kept.Category, Message: kept.Message, URL: kept.URL,
	}}
	for _, related := range kept.Related {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.pos(related.Pos), End: r.pos(related.End), Message: related.Message})
	}
	for _, fix := range kept.Fixes {
		made := analysis.SuggestedFix{Message: fix.Message}
		for _, edit := range fix.Edits {
			made.TextEdits = append(made.TextEdits, analysis.TextEdit{Pos: r.pos(edit.Pos), End: r.pos(edit.End), NewText: edit.New})
		}
		d.SuggestedFixes = append(d.SuggestedFixes, made)
	}
	return d
}

// export returns the facts about a package and its objects that importers can
// ask for, in an order that is always the same.
func (s *factStore) export(analyzers []*analysis.Analyzer, pkg *types.Package) []keptFact {
	var all []keptFact
	var paths objectpath.Encoder
	for _, a := range analyzers {
		facts := s.of(a, pkg, false)
		if facts == nil {
			continue
		}
		first := len(all)
		for key, fact := range facts.objects {
			if path, err := paths.For(key.object); err == nil { // others cannot be seen from outside
				all = append(all, keptFact{a.Name, path, fact})
			}
		}
		for _, fact := range facts.own {
			all = append(all, keptFact{a.Name, "", fact})
		}
		slices.SortFunc(all[first:], compareFacts)
	}
	return all
}

func compareFacts(a, b keptFact) int {
	return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(reflect.TypeOf(a.Fact).String(), reflect.TypeOf(b.Fact).String()))
}

// add adds facts about a package that were exported earlier.
func (s *factStore) add(analyzers []*analysis.Analyzer, pkg *types.Package, kept []keptFact) {
	byName := make(map[string]*analysis.Analyzer)
	for _, a := range analyzers {
		byName[a.Name] = a
	}
	for _, k := range kept {
		a := byName[k.Analyzer]
		if a == nil {
			continue
		}
		facts := s.of(a, pkg, true)
		if k.Object == "" {
			facts.own[reflect.TypeOf(k.Fact)] = k.Fact
			continue
		}
		if object, err := objectpath.Object(pkg, k.Object); err == nil {
			facts.objects[objectKey{object, reflect.TypeOf(k.Fact)}] = k.Fact
		}
	}
}
