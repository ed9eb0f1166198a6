// Package cloud asks a cloud.
package cloud

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Ask makes a client with a transport of its own.
func Ask(ctx context.Context, secret *corev1.Secret) error {
	return send(ctx, secret.Name, &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13}}})
}

// Other makes another one.
func Other(ctx context.Context, secret *corev1.Secret) error {
	return send(ctx, secret.Name, &http.Client{Timeout: time.Minute, Transport: &http.Transport{ForceAttemptHTTP2: true}})
}

// Upload makes one that only another package asks for.
func Upload(ctx context.Context, secret *corev1.Secret) error {
	return send(ctx, secret.Name, &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxConnsPerHost: 2}})
}

// Limited makes one that lets its connections go.
func Limited(ctx context.Context, secret *corev1.Secret) error {
	return send(ctx, secret.Name, &http.Client{Timeout: time.Minute, Transport: &http.Transport{ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}})
}

func send(ctx context.Context, name string, client *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://cloud/"+name, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// Probe looks at the status only.
func Probe(ctx context.Context, name string) error {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://cloud/"+name, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New("not ready")
	}
	return nil
}

// ProbeHTTP2 keeps its connection, since closing an answer ends a stream of it only.
func ProbeHTTP2(ctx context.Context, name string) error {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://cloud/"+name, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// ProbeHead gets answers without a body, and their connections stay.
func ProbeHead(ctx context.Context, name string) error {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, "https://cloud/"+name, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// Decode reads what it gets.
func Decode(ctx context.Context, name string) error {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13}}}
	answer, err := client.Get("https://cloud/" + name)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(&name)
}
