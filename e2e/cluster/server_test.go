package cluster

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// root is the top of the repository.
const root = "../.."

// bin is where programs are built. It survives the tests, as that of the other
// tests from the outside does.
var bin = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs(filepath.Join(root, "bin"))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o777)
})

// build builds a package of the module in dir and returns the program's file.
func build(t *testing.T, name, dir, pkg string) string {
	t.Helper()
	dest, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dest, name)
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	return exe
}

// buildServer builds a program of a module that go.mod requires, unless that version is there
// from an earlier run: it takes minutes, and what it was built of may have left the
// build cache.
func buildServer(t *testing.T, module, pkg string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
	if err != nil {
		t.Fatalf("asking for the version of %s: %v", module, err)
	}
	dest, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	name := strings.NewReplacer("/", "_").Replace(module) + "@" + strings.TrimSpace(string(out))
	exe := filepath.Join(dest, name)
	if _, err := os.Stat(exe); err == nil {
		return exe
	}
	if err := os.Rename(build(t, name+".new", ".", pkg), exe); err != nil {
		t.Fatal(err)
	}
	return exe
}

// adminToken is that of whoever may do everything.
const adminToken = "the-admin"

// server is an API server with an etcd of its own.
type server struct {
	config *rest.Config // of the admin
	ca     string       // file of the certificates to trust
	audit  *auditLog
}

// startServer starts etcd and kube-apiserver, and stops them when the test is done.
func startServer(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	etcd := buildServer(t, "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3")
	apiserver := buildServer(t, "k8s.io/kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver")

	clients, peers := "http://"+freeAddress(t), "http://"+freeAddress(t)
	start(t, dir, "etcd", exec.Command(etcd,
		"--data-dir="+filepath.Join(dir, "data"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+clients, "--advertise-client-urls="+clients,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers))

	address := freeAddress(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tokens.csv"), adminToken+",admin,1,system:masters\n")
	write(t, filepath.Join(dir, "audit.yaml"), auditPolicy)
	key := writeKey(t, dir)
	s := &server{
		ca:    filepath.Join(dir, "certs", "apiserver.crt"),
		audit: &auditLog{file: filepath.Join(dir, "audit.log")},
	}
	ended := start(t, dir, "kube-apiserver", exec.Command(apiserver,
		"--etcd-servers="+clients, "--cert-dir="+filepath.Dir(s.ca),
		"--bind-address=127.0.0.1", "--secure-port="+port, "--endpoint-reconciler-type=none",
		"--authorization-mode=RBAC", "--token-auth-file="+filepath.Join(dir, "tokens.csv"),
		// There are no accounts for pods, since no controller manager makes them.
		"--disable-admission-plugins=ServiceAccount", "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+key, "--service-account-signing-key-file="+key,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--audit-policy-file="+filepath.Join(dir, "audit.yaml"), "--audit-log-path="+s.audit.file, "--audit-log-mode=blocking"))

	s.config = &rest.Config{Host: "https://" + address, BearerToken: adminToken, TLSClientConfig: rest.TLSClientConfig{CAFile: s.ca}, QPS: -1}
	s.wait(t, ended)
	return s
}

// wait waits until the server serves, with the roles that it makes when it starts.
func (s *server) wait(t *testing.T, ended <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		select {
		case <-ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	ready := eventually(ctx, 2*time.Minute, func(ctx context.Context) error {
		if _, err := os.Stat(s.ca); err != nil {
			return err
		}
		client, err := kubernetes.NewForConfig(s.config)
		if err != nil {
			return err
		}
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
	if ready != nil {
		t.Fatalf("the API server does not get ready: %v", ready)
	}
}

// start starts a program, which writes to a file, and stops it when the test is done.
// The channel is closed when the program ends.
func start(t *testing.T, dir, name string, cmd *exec.Cmd) <-chan struct{} {
	t.Helper()
	log := filepath.Join(dir, name+".log")
	out, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", name, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		_ = out.Close()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("the end of what %s said:\n%s", name, tail(log))
		}
	})
	return ended
}

// tail returns the end of a file.
func tail(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-3000):])
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeKey makes the key that signs the tokens of service accounts.
func writeKey(t *testing.T, dir string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "accounts.key")
	write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
	return file
}

// freeAddress returns an address on this machine that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// eventually calls f until it succeeds, and returns the last error if it does not in
// that time.
func eventually(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := f(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("not within %s: %w", limit, ctx.Err()), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
