package marker

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) gadget(ctx context.Context, g *Gadget) error {
	g.Status.Ready = true
	return r.Status().Update(ctx, g)
}

func (r *reconciler) gadgetPatched(ctx context.Context, g *Gadget) error {
	base := g.DeepCopy()
	g.Status.Ready = false
	return r.Status().Patch(ctx, g, client.MergeFrom(base))
}

func (r *reconciler) gizmo(ctx context.Context, g *Gizmo) error {
	g.Status = &State{Ready: true}
	return helpers.UpdateStatus(ctx, r.Client, g)
}

func (r *reconciler) widget(ctx context.Context, w *Widget) error {
	w.Status.Ready = true
	return r.Status().Update(ctx, w)
}

func (r *reconciler) ledger(ctx context.Context, l *Ledger) error {
	l.Status.Ready = true
	return r.Update(ctx, l)
}

func (r *reconciler) plain(ctx context.Context, p *Plain) error {
	p.Status.Ready = true
	return r.Status().Update(ctx, p)
}
