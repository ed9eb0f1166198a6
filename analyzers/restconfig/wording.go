package restconfig

import (
	"fmt"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/restconfig/internal/configs"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
)

// reportShared words a change of what others have; at is nil if it happens while
// the program is set up.
func (c *checker) reportShared(change *configs.Change, o configs.Origin, at *entrypoints.Path) {
	var key any = o.Root
	if o.Holder != nil {
		key = o.Holder
	}
	if c.reported[change.Instr] || !c.first(change, key) {
		return
	}
	who, category := "this", shared
	var related []analysis.RelatedInformation
	if at != nil {
		who, related = "each "+at.Entry.Name(), at.Related()
	}
	if change.By != nil {
		who, category = c.who(change), helper
	}
	pos, end := syntax.Span(c.pass.Files, change.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: category, Harm: c.harm(change, key),
		Message: fmt.Sprintf("later clients of %s %s: %s %s for all; change a rest.CopyConfig", short(o.What), consequence(change.Field), who, act(change)),
		Related: related,
		Fix:     c.copyFix(change, o),
	})
}

// harm is the worst that the changes come to which one finding stands for.
func (c *checker) harm(change *configs.Change, key any) rule.Harm {
	worst := harmOf(change.Field)
	for _, other := range c.configs.Changes {
		if o := c.configs.Origin(other.Config); o.Holder != key && o.Root != key && variable(other.Config) != key {
			continue
		}
		switch {
		case other.Field == change.Field && clears(&other):
			return rule.Hygiene // what is set for one client is taken back
		case other.Instr.Parent() == change.Instr.Parent():
			worst = max(worst, harmOf(other.Field))
		}
	}
	return worst
}

// clears reports whether a change sets a field back to nothing.
func clears(change *configs.Change) bool {
	store, ok := change.Instr.(*ssa.Store)
	return ok && literals.IsEmpty(store.Val)
}

// harmOf says how much it matters that a field is another one than was meant.
func harmOf(field string) rule.Harm {
	switch field {
	case "UserAgent", "QPS", "Burst", "RateLimiter":
		return rule.Hygiene // a limit that is meant for one client suits others as a rule
	case "ContentType", "AcceptContentTypes", "GroupVersion", "NegotiatedSerializer", "APIPath", "ContentConfig":
		return rule.Hygiene // the constructors set them, or the first request fails
	case "Timeout":
		return rule.Load
	}
	return rule.Loss
}

// act says what is done to the configuration.
func act(change *configs.Change) string {
	if change.Field == "" {
		return "changes it"
	}
	return "sets its " + change.Field
}

// who is the function that changes a configuration which it is handed, with the
// place.
func (c *checker) who(change *configs.Change) string {
	name := change.By.Func
	if call, ok := change.Instr.(ssa.CallInstruction); ok {
		name = c.configs.Called(call)
	}
	return fmt.Sprintf("%s (%s)", short(name), change.By.Place)
}

// short is a name that fits into a message, or its last part.
func short(name string) string {
	if n := strings.LastIndexByte(name, '.'); len(name) > 32 && n >= 0 {
		return name[n+1:]
	}
	return name
}

func (c *checker) reportHandedOver(change *configs.Change, given ssa.Instruction, holder string) {
	key := variable(change.Config)
	if !c.first(change, key) {
		return
	}
	who, category := "this", handedOver
	if change.By != nil {
		who, category = c.who(change), helper
	}
	pos, end := syntax.Span(c.pass.Files, change.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: category, Harm: c.harm(change, key),
		Message: fmt.Sprintf("later clients %s: %s %s after %s got it (line %d); change a rest.CopyConfig",
			consequence(change.Field), who, act(change), holder, c.pass.Fset.Position(given.Pos()).Line),
		Related: []analysis.RelatedInformation{{Pos: given.Pos(), Message: holder + " gets the configuration here"}},
	})
}

// copyFix has a variable hold a copy of what the manager gives to everybody.
func (c *checker) copyFix(change *configs.Change, o configs.Origin) *analysis.SuggestedFix {
	call, ok := o.Root.(*ssa.Call)
	if !ok || o.Kind != configs.Manager || change.By != nil || call.Parent() != change.Instr.Parent() {
		return nil
	}
	expr := syntax.Call(c.pass.Files, call)
	if expr == nil {
		return nil
	}
	path := syntax.Path(c.pass.Files, expr.Lparen)
	for n, node := range path {
		assign, ok := node.(*ast.AssignStmt)
		if !ok {
			continue
		}
		if len(assign.Rhs) != 1 || assign.Rhs[0] != expr || n == 0 {
			return nil
		}
		qualifier, ok := edit.Qualifier(c.pass, expr.Pos(), "k8s.io/client-go/rest", "CopyConfig")
		if !ok {
			return nil
		}
		return &analysis.SuggestedFix{
			Message: "Change a copy",
			TextEdits: []analysis.TextEdit{
				{Pos: expr.Pos(), End: expr.Pos(), NewText: []byte(qualifier + "CopyConfig(")},
				{Pos: expr.End(), End: expr.End(), NewText: []byte(")")},
			},
		}
	}
	return nil
}

// consequence says what becomes of the clients that are built of a
// configuration whose field has changed.
func consequence(field string) string {
	switch field {
	case "BearerToken", "BearerTokenFile", "Username", "Password", "Impersonate", "AuthProvider", "ExecProvider", "AuthConfigPersister":
		return "act as somebody else"
	case "Host":
		return "talk to another server"
	case "APIPath", "ContentConfig", "GroupVersion", "NegotiatedSerializer":
		return "use another API group or encoding"
	case "ContentType", "AcceptContentTypes":
		return "use another encoding"
	case "TLSClientConfig", "Insecure", "ServerName", "CertFile", "KeyFile", "CAFile", "CertData", "KeyData", "CAData", "NextProtos":
		return "trust or show other certificates"
	case "Transport", "WrapTransport", "Dial", "Proxy":
		return "go another way"
	case "QPS", "Burst", "RateLimiter":
		return "have another rate limit"
	case "Timeout":
		return "give up earlier or later"
	case "UserAgent":
		return "go by another name"
	}
	return "are not what was meant"
}
