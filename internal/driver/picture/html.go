package picture

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"slices"
)

//go:embed html.tmpl
var htmlSource string

var htmlPage = template.Must(template.New("map").Parse(htmlSource))

// HTML writes one page that needs nothing else: no network, no other files.
func HTML(out io.Writer, m *Map, version string) error {
	var page bytes.Buffer
	data := struct {
		*graph
		Version string
		Rest    []Finding
	}{newGraph(m), version, m.rest()}
	if err := htmlPage.Execute(&page, data); err != nil {
		return err
	}
	_, err := page.WriteTo(out)
	return err
}

// rest returns the findings that concern no node.
func (m *Map) rest() []Finding {
	seen := make(map[string]bool)
	var rest []Finding
	for _, p := range m.Programs {
		for _, f := range p.Findings {
			if key := f.At.String() + f.Message; !seen[key] && !m.shows(f) {
				seen[key] = true
				rest = append(rest, f)
			}
		}
	}
	return rest
}

// shows reports whether some node has a finding, maybe in another program.
func (m *Map) shows(f Finding) bool {
	has := func(list []Finding) bool {
		return slices.ContainsFunc(list, func(g Finding) bool { return g.Message == f.Message && g.At.String() == f.At.String() })
	}
	for _, p := range m.Programs {
		for _, c := range p.Controllers {
			if has(c.Findings) {
				return true
			}
		}
		for _, w := range p.Webhooks {
			if has(w.Findings) {
				return true
			}
		}
	}
	return false
}
