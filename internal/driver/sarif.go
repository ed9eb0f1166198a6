package driver

import (
	"encoding/json"
	"go/token"
	"io"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"golang.org/x/tools/go/analysis"
)

const (
	homepage = "https://github.com/opvet/opvet"

	// srcRoot is the name of the source root in artifacts' locations; code
	// scanners put their own checkout in its place.
	srcRoot = "%SRCROOT%"

	// fingerprintKey names the way that fingerprints are made: another way
	// has to get another number.
	fingerprintKey = "opvet/v2"
)

// sarifFormat prints SARIF 2.1.0, the format of code scanners.
type sarifFormat struct{}

func (sarifFormat) write(out io.Writer, r *report) error {
	log := sarif.NewReport()
	log.Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	log.AddRun((&sarifRun{report: r, rules: make(map[string]int)}).run())
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(log)
}

// sarifRun makes a run of a report.
type sarifRun struct {
	*report
	rules map[string]int // index by ID
}

func (s *sarifRun) run() *sarif.Run {
	run := sarif.NewRunWithInformationURI("opvet", homepage)
	version := moduleVersion()
	run.Tool.Driver.Version = &version
	if strings.HasPrefix(version, "v") {
		run.Tool.Driver.WithSemanticVersion(version[1:])
	}
	run.WithColumnKind("utf16CodeUnits")
	run.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{
		srcRoot: *sarif.NewSimpleArtifactLocation(strings.TrimSuffix(fileURI(s.root.dir), "/") + "/"),
	})
	for _, a := range s.analyzers {
		for _, rule := range sarifRules(a) {
			s.rules[*rule.ID] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
	}
	prints := s.fingerprints()
	for i, f := range s.Findings {
		run.AddResult(s.result(f).WithPartialFingerprints(map[string]string{fingerprintKey: prints[i]}))
	}
	invocation := sarif.NewInvocation().WithExecutionSuccessful(len(s.Problems) == 0)
	for i, problem := range s.Problems {
		notification := sarif.NewNotification().WithLevel(sarif.LevelError).WithMessage(message(problem))
		if posn, ok := s.place(i); ok {
			notification.AddLocation(sarif.NewLocationWithPhysicalLocation(
				sarif.NewPhysicalLocation().WithArtifactLocation(s.artifact(posn.Filename)).WithRegion(s.region(posn, posn))))
		}
		invocation.AddToolExecutionNotification(notification)
	}
	return run.AddInvocation(invocation)
}

func (s *sarifRun) result(f Finding) *sarif.Result {
	result := sarif.NewRuleResult(f.ruleID()).
		WithRuleIndex(s.rules[f.ruleID()]).
		WithLevel(severityOf(f.Harm).level).
		WithRank(severityOf(f.Harm).rank).
		WithMessage(message(f.Diagnostic.Message))
	properties := sarif.NewPropertyBag()
	properties.Add("harm", f.Harm.String())
	if len(f.Programs) > 0 {
		properties.Add("programs", f.Programs)
	}
	result.WithProperties(properties)
	at := s.location(f.Fset, f.Diagnostic.Pos, f.Diagnostic.End)
	result.AddLocation(at)

	flow := sarif.NewThreadFlow()
	before, after := s.way(f)
	for _, related := range before {
		flow.AddLocation(sarif.NewThreadFlowLocation().WithLocation(s.related(f, related)))
	}
	flow.AddLocation(sarif.NewThreadFlowLocation().WithImportance("essential").
		WithLocation(sarif.NewLocation().WithPhysicalLocation(at.PhysicalLocation).WithMessage(message(f.Diagnostic.Message))))
	for _, related := range after {
		flow.AddLocation(sarif.NewThreadFlowLocation().WithLocation(s.related(f, related)))
	}
	if len(f.Diagnostic.Related) > 0 {
		result.AddCodeFlow(sarif.NewCodeFlow().AddThreadFlow(flow))
	}
	for i, related := range f.Diagnostic.Related {
		result.AddRelatedLocation(s.related(f, related).WithID(i + 1))
	}
	for _, fix := range f.Diagnostic.SuggestedFixes {
		result.AddFixe(s.fix(f.Fset, fix))
	}
	return result
}

func (s *sarifRun) related(f Finding, related analysis.RelatedInformation) *sarif.Location {
	return s.location(f.Fset, related.Pos, related.End).WithMessage(message(related.Message))
}

func (s *sarifRun) fix(fset *token.FileSet, fix analysis.SuggestedFix) *sarif.Fix {
	var order []string
	changes := make(map[string]*sarif.ArtifactChange)
	for _, edit := range fix.TextEdits {
		start, end := fset.PositionFor(edit.Pos, false), fset.PositionFor(endOr(edit.End, edit.Pos), false)
		change := changes[start.Filename]
		if change == nil {
			change = sarif.NewArtifactChange().WithArtifactLocation(s.artifact(start.Filename))
			changes[start.Filename] = change
			order = append(order, start.Filename)
		}
		text := string(edit.NewText)
		change.AddReplacement(sarif.NewReplacement().
			WithDeletedRegion(s.region(start, end)).
			WithInsertedContent(sarif.NewArtifactContent().WithText(text)))
	}
	out := sarif.NewFix().WithDescription(message(fix.Message))
	for _, name := range order {
		out.AddArtifactChange(changes[name])
	}
	return out
}

func (s *sarifRun) location(fset *token.FileSet, pos, end token.Pos) *sarif.Location {
	start := fset.Position(pos)
	physical := sarif.NewPhysicalLocation().WithArtifactLocation(s.artifact(start.Filename))
	switch {
	case start.Line == 0:
	case end > pos:
		physical.WithRegion(s.region(start, fset.Position(end)))
	default: // up to the end of the line
		region := s.region(start, start)
		region.EndLine, region.EndColumn = nil, nil
		physical.WithRegion(region)
	}
	return sarif.NewLocationWithPhysicalLocation(physical)
}

// region is what lies between two places; if they are one, it is empty.
func (s *sarifRun) region(start, end token.Position) *sarif.Region {
	region := sarif.NewRegion().WithStartLine(start.Line).WithEndLine(end.Line)
	// There is no column if a line directive names none.
	if start.Column > 0 && end.Column > 0 {
		region.WithStartColumn(s.sources.column(start)).WithEndColumn(s.sources.column(end))
	}
	return region
}

func (s *sarifRun) artifact(file string) *sarif.ArtifactLocation {
	name, ok := s.root.rel(file)
	if !ok {
		return sarif.NewSimpleArtifactLocation(fileURI(file))
	}
	return sarif.NewSimpleArtifactLocation(relativeURI(name)).WithURIBaseID(srcRoot)
}

// message makes a message of plain text, in which [text](target) would be a
// link.
func message(text string) *sarif.Message {
	if strings.Contains(text, "](") {
		text = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(text)
	}
	return sarif.NewTextMessage(text)
}
