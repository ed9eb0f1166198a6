package controllers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Election is whether a manager elects a leader.
type Election string

// The answers. Configured tells that a flag or other configuration decides.
const (
	Elects          Election = "yes"
	ElectsNot       Election = "no"
	Configured      Election = "configured"
	UnknownElection Election = "unknown"
)

// Manager is what runs controllers: a manager of controller-runtime, or what client-go
// runs when leadership is won.
type Manager struct {
	Election Election
	At       Place
}

// Webhook is a webhook that a manager serves.
type Webhook struct {
	Package string
	Kind    Kind
	// Roles are what it does; none for a handler that is registered for a path.
	Roles kubeapi.WebhookRole
	// Handles tells that it is such a handler, and Path is the path if it is a
	// constant.
	Handles bool
	Path    string
	At      Place
}

// setups finds the managers and webhooks that the package makes.
func (f *finder) setups(made *Made) {
	f.calls.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		common := call.Common()
		if kubeapi.RunsKnative(common) {
			made.Managers = append(made.Managers, Manager{Configured, f.place(call.Pos())})
		} else if kubeapi.ElectsLeader(common) {
			made.Managers = append(made.Managers, Manager{Elects, f.place(call.Pos())})
		} else if kubeapi.MakesManager(common) {
			made.Managers = append(made.Managers, Manager{f.election(common.Args), f.place(call.Pos())})
		} else if kubeapi.MakesWebhookBuilder(common) {
			made.Webhooks = append(made.Webhooks, f.webhooks(call)...)
		} else if path, ok := kubeapi.RegistersWebhook(common); ok {
			w := Webhook{Package: f.pass.Pkg.Path(), Handles: true, At: f.place(call.Pos())}
			w.Path, _ = kubeapi.ConstString(path)
			made.Webhooks = append(made.Webhooks, w)
		}
	})
}

// election reads manager.Options.
func (f *finder) election(args []ssa.Value) Election {
	if len(args) != 2 {
		return UnknownElection
	}
	s := f.read.Read(args[1])
	answer := ElectsNot
	if s.Open {
		answer = UnknownElection
	}
	for _, v := range s.Values["LeaderElection"] {
		switch c, isConst := calls.Behind(v).(*ssa.Const); {
		case !isConst:
			return Configured
		case c.Value != nil && c.Value.String() == "true":
			answer = Elects
		}
	}
	return answer
}

// webhooks reads one chain of the webhook builder's. One chain may serve several kinds.
func (f *finder) webhooks(made *ssa.Call) []Webhook {
	w := Webhook{Package: f.pass.Pkg.Path(), At: f.place(made.Pos())}
	var objects []object
	note := func(v ssa.Value) {
		for _, o := range f.objectsOf(v) {
			if o.named != nil {
				w.Roles |= kubeapi.WebhookRolesOf(types.NewPointer(o.named))
			}
			objects = append(objects, o)
		}
	}
	if len(made.Call.Args) > 1 {
		note(made.Call.Args[1])
	}
	for _, u := range f.usesOf(made, kubeapi.IsWebhookBuilder).calls {
		fn := kubeapi.Callee(u.call.Common())
		if fn == nil || u.operand != 0 || fn.Signature().Recv() == nil || !kubeapi.IsWebhookBuilder(fn.Signature().Recv().Type()) {
			continue
		}
		w.Roles |= kubeapi.WebhookRoleOf(fn)
		if _, args := kubeapi.Args(u.call.Common()); fn.Name() == "For" && len(args) > 0 {
			note(args[0])
		}
	}
	if len(objects) == 0 {
		objects = []object{{}}
	}
	var found []Webhook
	for _, o := range objects {
		w.Kind = o.Kind
		if !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}
