// Package rpc serves requests.
package rpc

import (
	"context"
	"net/http"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// What protoc-gen-go-grpc generates.
type (
	registrar     interface{ RegisterService(desc, impl any) }
	BackupRequest struct{ Name string }
	Backup        struct{}
	BackupStream  interface{ Context() context.Context }
	BackupServer  interface {
		GetBackup(context.Context, *BackupRequest) (*Backup, error)
		ListBackups(context.Context, *BackupRequest) (*Backup, error)
		WatchBackups(*BackupRequest, BackupStream) error
	}
)

func RegisterBackupServer(s registrar, srv BackupServer) { s.RegisterService(nil, srv) }

type server struct {
	kube   kubernetes.Interface
	config *rest.Config
	stop   chan struct{}
}

func serve(r registrar, s *server) { RegisterBackupServer(r, s) }

func (s *server) GetBackup(ctx context.Context, req *BackupRequest) (*Backup, error) {
	return s.get(req.Name)
}

// A factory for each call.
func (s *server) get(name string) (*Backup, error) {
	factory := informers.NewSharedInformerFactoryWithOptions(s.kube, 0, informers.WithNamespace(name)) // want `each GetBackup lists and caches all objects again: it makes an informer factory; build it once, at start \(reconcileclient/factory\)`
	cache.WaitForCacheSync(s.stop, factory.Core().V1().Pods().Informer().HasSynced)
	return nil, nil
}

// For the user who asks.
func (s *server) ListBackups(ctx context.Context, req *BackupRequest) (*Backup, error) {
	config := rest.CopyConfig(s.config)
	config.Impersonate.UserName = req.Name
	_, err := kubernetes.NewForConfig(config)
	return nil, err
}

// In an HTTP handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := kubernetes.NewForConfig(s.config); err != nil { // want `QPS and Burst limit nothing: each ServeHTTP makes a client with a rate limiter of its own; build it once, at start \(reconcileclient/client\)`
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// As the user, by a token.
type console struct{ config *rest.Config }

func (c *console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	config := rest.AnonymousClientConfig(c.config)
	config.BearerToken = r.Header.Get("Authorization")
	if _, err := kubernetes.NewForConfig(config); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// A stream that lasts has a factory of its own, which ends with it.
func (s *server) WatchBackups(req *BackupRequest, stream BackupStream) error {
	factory := informers.NewSharedInformerFactoryWithOptions(s.kube, 0, informers.WithNamespace(req.Name))
	factory.Start(stream.Context().Done())
	<-stream.Context().Done()
	return nil
}
