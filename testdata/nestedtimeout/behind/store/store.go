// Package store has what stands behind the interfaces of another package.
package store

import (
	"context"
	"database/sql"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Remote asks the API server.
type Remote struct{ Client client.Client }

func (r *Remote) Prune(ctx context.Context, pod *corev1.Pod) error { return r.Client.Delete(ctx, pod) }

func (r *Remote) Save(ctx context.Context, pod *corev1.Pod) error { return r.Client.Update(ctx, pod) }

func (r *Remote) Flush(ctx context.Context, pod *corev1.Pod) error { return r.Client.Update(ctx, pod) }

// Status writes to the status.
type Status struct{ Client client.Client }

func (s *Status) Prune(ctx context.Context, pod *corev1.Pod) error {
	pod.Status.Reason = ""
	return s.Client.Status().Update(ctx, pod)
}

// Save keeps it until later.
func (s *Status) Save(_ context.Context, pod *corev1.Pod) error { return nil }

// Flush asks first.
func (s *Status) Flush(ctx context.Context, pod *corev1.Pod) error {
	if err := ctx.Err(); err != nil {
		return nil
	}
	return s.Client.Status().Update(ctx, pod)
}

// Base is asked by the methods of the driver that it embeds.
type Base struct{ *sql.DB }

// Replica is asked itself.
type Replica struct{ db *sql.DB }

func (r *Replica) PingContext(ctx context.Context) error { return r.db.PingContext(ctx) }
