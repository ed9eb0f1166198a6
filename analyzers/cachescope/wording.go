package cachescope

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
)

// maxPlaces is how many places a message names: other packages' cannot be
// related places.
const maxPlaces = 6

// places names sites in a message.
func places(sites []site) string {
	var names []string
	for i, s := range sites {
		if i == maxPlaces-1 && len(sites) > maxPlaces {
			names = append(names, fmt.Sprintf("%d more places", len(sites)-i))
			break
		}
		names = append(names, s.at)
	}
	last := len(names) - 1
	if last < 1 {
		return "at " + strings.Join(names, "")
	}
	return "at " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// tell reports a finding about a kind: at its own place, or where the manager is
// made.
func (c *checker) tell(k *kind, category string, at *token.Pos, sites []site, message string) {
	pos, end := source.Span(c.pass.Files, c.call)
	if at != nil {
		pos, end = *at, token.NoPos
	}
	if c.manager.InNamespaces(k.id) {
		message = "if no namespaces are configured, " + message
	}
	f := rule.Finding{Pos: pos, End: end, Category: category, Message: message, About: k.id}
	for _, s := range sites {
		if s.Own && s.Pos.IsValid() && len(f.Related) < maxPlaces {
			verb := "watched here"
			if s.Op.Reads() {
				verb = "read here"
			}
			f.Related = append(f.Related, analysis.RelatedInformation{Pos: s.Pos, Message: k.name() + " is " + verb})
		}
	}
	c.report.Report(f)
}

// limits and disables name the options that the release in use has.
func (c *checker) limits() string {
	if c.manager.Older {
		return "cache.Options.SelectorsByObject"
	}
	return "Cache.ByObject"
}

func (c *checker) disables() string {
	if c.manager.Older {
		return "ClientDisableCacheFor"
	}
	return "Client.Cache.DisableFor"
}
