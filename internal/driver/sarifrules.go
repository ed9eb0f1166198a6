package driver

import (
	"go/doc/comment"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/ruledoc"
)

// sarifRules describes the categories of an analyzer.
func sarifRules(a *analysis.Analyzer) []*sarif.ReportingDescriptor {
	spec := rule.Of(a)
	doc := ruledoc.Parse(a)
	var rules []*sarif.ReportingDescriptor
	for _, c := range spec.Categories {
		section, ok := ruledoc.Section(doc, c.Name)
		if !ok {
			section = &comment.Doc{Content: []comment.Block{
				&comment.Paragraph{Text: []comment.Text{comment.Plain(sentence(c.Summary))}},
			}}
		}
		text, markdown := strings.TrimSpace(ruledoc.Text(section)), strings.TrimSpace(ruledoc.Markdown(section))
		description := &comment.Doc{Content: section.Content[:min(1, len(section.Content))], Links: section.Links}
		properties := sarif.NewPropertyBag().AddTag(spec.Group)
		// GitHub shows these two.
		properties.Add("precision", "high")
		if c.Strict || c.Trial {
			properties.Add("precision", "medium")
		}
		properties.Add("problem.severity", severityOf(c.Harm).problem)
		properties.Add("harm", c.Harm.String())
		rules = append(rules, sarif.NewRule(a.Name+"/"+c.Name).
			WithShortDescription(multiformat(sentence(c.Summary))).
			WithFullDescription(multiformat(strings.TrimSpace(ruledoc.Text(description)))).
			WithHelp(multiformat(text).WithMarkdown(markdown)).
			WithHelpURI(a.URL+"#"+c.Name).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(severityOf(c.Harm).level)).
			WithProperties(properties))
	}
	return rules
}

func multiformat(text string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(text)
}

// sentence makes a sentence of a summary.
func sentence(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
