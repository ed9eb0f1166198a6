package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// demo returns a copy of the demo operator that can run outside of a cluster, and without
// its counter: that one mistakes success for failure and ends the process, which is
// one of the demo's mistakes.
func demo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	from := filepath.Join(root, "testdata")
	if err := os.CopyFS(filepath.Join(dir, "demo"), os.DirFS(filepath.Join(from, "demo"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), string(data))
	}
	file := filepath.Join(dir, "demo/cmd/manager/main.go")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, change := range [][2]string{
		{`LeaderElectionID: "cache.demo.opvet.dev",`, `LeaderElectionID: "cache.demo.opvet.dev", LeaderElectionNamespace: "cache-system",`},
		{"return mgr.Add(manager.RunnableFunc(func(context.Context) error { return counter.Start() }))", "go counter.Start()\n\treturn nil"},
	} {
		if strings.Count(text, change[0]) != 1 {
			t.Fatalf("the demo has changed: it has no %s", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	write(t, file, text)
	return dir
}

// prepareDemo makes a certificate for its webhooks where they look for one, and answers for
// all services that it asks.
func prepareDemo(t *testing.T, dir string) []string {
	t.Helper()
	certs := filepath.Join(dir, "k8s-webhook-server", "serving-certs")
	if err := os.MkdirAll(certs, 0o777); err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().Add(24 * time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(certs, "tls.crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	write(t, filepath.Join(certs, "tls.key"), string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})))
	services := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(services.Close)
	return []string{"TMPDIR=" + dir, "HTTP_PROXY=" + services.URL}
}
