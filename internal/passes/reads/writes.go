package reads

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Write is one place that changes objects through a client of controller-runtime.
type Write struct {
	Use
	// Verb is what the API server authorises, such as "deletecollection".
	Verb string
	// Sub is the subresource, or empty; it is [UnknownSub] if it is not known.
	Sub string
}

// UnknownSub stands for a subresource that is chosen at run time.
const UnknownSub = "?"

var writeVerbs = map[kubeapi.Verb]string{
	kubeapi.Create: "create", kubeapi.Update: "update", kubeapi.Patch: "patch", kubeapi.Apply: "patch",
}

// writing notes what a call writes.
func (g *gatherer) writing(call ssa.CallInstruction) {
	common := call.Common()
	fn := kubeapi.Callee(common)
	if fn == nil || !common.IsInvoke() && fn.Pkg() != nil && g.calls.SameModule(fn.Pkg()) {
		return // a function of the user's own is looked into itself
	}
	if d, ok := kubeapi.DeletionOf(common); ok {
		if d.Object == nil {
			return
		}
		recv, _ := kubeapi.Args(common)
		verb := "delete"
		if d.Many {
			verb = "deletecollection"
		}
		g.wrote(call, kubeapi.Op{Object: d.Object}, recv, verb, "")
		return
	}
	op, ok := kubeapi.ClientOp(common)
	if !ok || op.Object == nil || op.Recv == nil || op.Result {
		return
	}
	verb := writeVerbs[op.Verb]
	switch {
	case verb == "" && op.Verb != kubeapi.Get:
		return
	case verb == "" && (op.Endpoint == kubeapi.MainEndpoint || kubeapi.IsReader(op.Recv.Type())):
		return // a read
	case verb == "":
		verb = "get" // of a subresource
	}
	sub, client := g.endpoint(op)
	if op.Mutate != nil && op.Verb == kubeapi.Patch && g.setsStatusOnly(op) {
		// CreateOrPatch compares the rest, and leaves it alone. The object is known
		// to be there: one that is made here gets more than a status.
		g.wrote(call, op, client, verb, "status")
		return
	}
	g.wrote(call, op, client, verb, sub)
	// CreateOrUpdate creates what it does not find.
	if op.Mutate != nil && !g.exists(call, op.Object, 0) || op.Verb == kubeapi.Apply && sub == "" {
		g.wrote(call, op, client, "create", "")
	}
}

// endpoint tells the subresource that a call writes to, and the client behind the
// writer of that.
func (g *gatherer) endpoint(op kubeapi.Op) (sub string, client ssa.Value) {
	client = op.Recv
	if call, ok := op.Recv.(*ssa.Call); ok {
		if fn := kubeapi.Callee(call.Common()); fn != nil {
			recv, args := kubeapi.Args(call.Common())
			switch {
			case recv != nil && fn.Name() == "Status" && len(args) == 0:
				return "status", recv
			case recv != nil && fn.Name() == "SubResource" && len(args) == 1:
				if name, ok := kubeapi.ConstString(args[0]); ok {
					return name, recv
				}
				return UnknownSub, recv
			}
		}
	}
	switch {
	case op.Endpoint&kubeapi.MainEndpoint != 0:
		return "", client
	case op.Endpoint == kubeapi.StatusEndpoint && !kubeapi.IsReader(client.Type()):
		return "status", client
	}
	return UnknownSub, client
}

func (g *gatherer) wrote(call ssa.CallInstruction, op kubeapi.Op, client ssa.Value, verb, sub string) {
	w := Write{Use: Use{What: g.text(call), Mutates: op.IfChanged}, Verb: verb, Sub: sub}
	if client != nil && g.isFollowed(client.Type()) {
		w.By = g.place(g.sources(client))
	}
	g.settle(call, &w.Use, op.Object)
	g.Writes = append(g.Writes, w)
}
