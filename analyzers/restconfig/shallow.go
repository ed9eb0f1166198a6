package restconfig

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/restconfig/internal/configs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/report/rule"
)

// shallow finds changes of what a copy and its original have in common: maps,
// slices, and structs that are pointed to. rest.CopyConfig copies no deeper than
// an assignment.
func (c *checker) shallow(change *configs.Change, copied configs.Origin) {
	if !change.Deep || change.By != nil || c.replaced(change) {
		return
	}
	original := c.configs.Origin(copied.Of)
	if !original.Shared() && original.Kind != configs.Param {
		return
	}
	if !c.first(change, change.Config) {
		return
	}
	pos, end := syntax.Span(c.pass.Files, change.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: shallowCopy, Harm: c.harm(change, change.Config),
		Message: fmt.Sprintf("clients of %s %s, too: the copy shares what is in %s with it; give the copy one of its own first",
			short(original.What), consequence(change.Field), change.Field),
	})
}

// replaced reports whether the function gives the copy a field of its own, or one around
// it if it is a literal.
func (c *checker) replaced(change *configs.Change) bool {
	if change.Config.Referrers() == nil {
		return true
	}
	copied := calls.Behind(change.Config)
	for fn := change.Instr.Parent(); fn != nil; fn = fn.Parent() {
		for addr := range blocks.InstrsOf[*ssa.FieldAddr](fn) {
			if calls.Behind(addr.X) != copied {
				continue
			}
			if field := calls.FieldOf(addr.X.Type(), addr.Field); field != nil && field.Name() == change.Field && blocks.IsStoredTo(addr) {
				return true
			}
		}
	}
	return false
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
