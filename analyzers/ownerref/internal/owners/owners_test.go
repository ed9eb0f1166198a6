package owners

import (
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opvet/opvet/internal/testing/passtest"
)

func TestLinks(t *testing.T) {
	const cases = "github.com/opvet/opvet/testdata/passes/owners"
	results := passtest.Run[*References](t, Analyzer, "../../../../testdata", "./passes/owners", "./ownerref/lib", "./ownerref/api", "./api/v1")
	info := results[cases].Value
	got := make(passtest.Expectations)
	for _, fn := range info.Summaries.Calls.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok {
			continue
		}
		for _, l := range info.Links(fn) {
			got.Add(passtest.FuncName(obj), describe(info, l))
		}
	}
	if diff := cmp.Diff(passtest.Wants(results[cases].Package), got); diff != "" {
		t.Errorf("what the comments want (-) and what was found (+):\n%s", diff)
	}
}

// describe words a link as the comments of the cases do.
func describe(info *References, l Link) string {
	var details []string
	if l.Controller {
		details = append(details, "controller")
	}
	if l.Checked != "" {
		details = append(details, "checked")
	}
	for _, o := range info.ChildNamespaces(l) {
		switch o.Kind {
		case Constant:
			details = append(details, `in "`+o.Text+`"`)
		case Variable:
			details = append(details, "in "+o.Text)
		case Own:
			details = append(details, "in its own")
		}
	}
	return strings.TrimSpace(name(l.Owner.Kind) + " owns " + name(l.Child.Kind) + ": " + strings.Join(details, ", "))
}

func name(kind *types.Named) string {
	if kind == nil {
		return "unknown"
	}
	return kind.Obj().Name()
}
