// Package impl implements what others ask for.
package impl

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
)

// Notifier notifies.
type Notifier struct {
	url    string
	client *http.Client
}

// New returns one.
func New(secret *corev1.Secret) *Notifier {
	return &Notifier{url: string(secret.Data["url"]), client: &http.Client{}}
}

// Notify sends a message.
func (n *Notifier) Notify(ctx context.Context, text string) error {
	return n.post(ctx, text)
}

func (n *Notifier) post(ctx context.Context, text string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url+text, nil)
	if err != nil {
		return err
	}
	_, err = n.client.Do(req)
	return err
}
