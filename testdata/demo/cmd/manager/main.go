// Command manager runs the demo operator: small, complete, and with one of each
// mistake that opvet finds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/template"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
	"github.com/opvet/opvet/testdata/demo/internal/controller"
	"github.com/opvet/opvet/testdata/demo/internal/deploys"
	"github.com/opvet/opvet/testdata/demo/internal/export"
	"github.com/opvet/opvet/testdata/demo/internal/filters"
	"github.com/opvet/opvet/testdata/demo/internal/inventory"
	"github.com/opvet/opvet/testdata/demo/internal/placement"
	"github.com/opvet/opvet/testdata/demo/internal/podwatch"
	"github.com/opvet/opvet/testdata/demo/internal/probe"
	"github.com/opvet/opvet/testdata/demo/internal/registry"
	"github.com/opvet/opvet/testdata/demo/internal/snapshot"
	"github.com/opvet/opvet/testdata/demo/internal/teardown"
	"github.com/opvet/opvet/testdata/demo/internal/upgrades"
	"github.com/opvet/opvet/testdata/demo/internal/usage"
	"github.com/opvet/opvet/testdata/demo/internal/volumes"
	"github.com/opvet/opvet/testdata/demo/internal/webhook"
	"github.com/opvet/opvet/testdata/demo/internal/zones"
)

// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=configmaps;secrets,verbs=get;list;watch;create;update;patch
// +kubebuilder:rbac:groups="",resources=configmaps/status,verbs=update
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles;rolebindings,verbs=get;create
// +kubebuilder:rbac:groups=cache.demo.opvet.dev,resources=caches;cachebackups,verbs=get;list;watch;create;update;patch;delete

func main() {
	alerts := flag.String("alerts", "http://alerts.monitoring.svc/api/v1/events", "address of the alerting service")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler(), *alerts); err != nil {
		ctrl.Log.Error(err, "running the manager")
		os.Exit(1)
	}
}

func run(ctx context.Context, alerts string) error {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))

	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:           scheme,
		LeaderElection:   true,
		LeaderElectionID: "cache.demo.opvet.dev",
	})
	if err != nil {
		return fmt.Errorf("making the manager: %w", err)
	}

	httpClient := &http.Client{Timeout: 10 * time.Second}
	err = errors.Join(
		(&controller.CacheReconciler{Client: mgr.GetClient(), HTTP: httpClient}).SetupWithManager(mgr),
		(&controller.BackupReconciler{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&controller.UserReconciler{Client: mgr.GetClient(), Accounts: accounts{httpClient}}).SetupWithManager(mgr),
		filters.SetupWithManager(mgr),
		(&webhook.CacheWebhook{Reader: mgr.GetClient()}).SetupWithManager(mgr),
		addPodWatch(mgr, httpClient, alerts),
		addStorage(mgr, httpClient),
		addUsage(mgr, ctx.Done()),
	)
	if err != nil {
		return fmt.Errorf("setting up: %w", err)
	}
	return mgr.Start(ctx)
}

// addStorage adds what keeps data, and takes it away.
func addStorage(mgr ctrl.Manager, httpClient *http.Client) error {
	kube, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return err
	}
	owners, err := export.NewOwners()
	if err != nil {
		return err
	}
	store := &teardown.Store{HTTP: httpClient, URL: "http://store.storage.svc"}
	return errors.Join(
		(&teardown.CopyReconciler{Client: mgr.GetClient(), Store: store}).SetupWithManager(mgr),
		(&teardown.AccountReconciler{Client: mgr.GetClient(), Store: store}).SetupWithManager(mgr),
		(&teardown.ClaimReconciler{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&teardown.ImportReconciler{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&teardown.TokenReconciler{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&volumes.Reconciler{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&upgrades.Reconciler{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&export.Reconciler{Client: mgr.GetClient(), Config: mgr.GetConfig(), URL: "https://archive.storage.svc"}).SetupWithManager(mgr),
		owners.SetupWithManager(mgr),
		(&registry.Registry{Client: mgr.GetClient(), Key: client.ObjectKey{Namespace: "cache-system", Name: "images"}}).SetupWithManager(mgr),
		mgr.Add(&snapshot.Taker{Kube: kube, Namespace: "cache-system", Dir: "/snapshots", Store: store.URL}),
		mgr.Add(&probe.Prober{HTTP: httpClient}),
	)
}

// addPodWatch adds what uses client-go alone, with informers that the manager
// does not know.
func addPodWatch(mgr ctrl.Manager, httpClient *http.Client, alerts string) error {
	kube, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(kube, 0,
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.LabelSelector = "cache.demo.opvet.dev/name"
		}))
	pods, err := podwatch.New(kube, factory.Core().V1().Pods(), httpClient, alerts)
	if err != nil {
		return err
	}
	deployments, err := deploys.New(kube, factory.Apps().V1().Deployments())
	if err != nil {
		return err
	}
	things, err := inventory.New(informers.NewSharedInformerFactory(kube, 0))
	if err != nil {
		return err
	}
	nodes := informers.NewSharedInformerFactory(kube, 0)
	placer, err := placement.New(kube, nodes.Core().V1().Nodes(), mgr.GetClient())
	if err != nil {
		return err
	}
	labeller, err := zones.New(kube, nodes.Core().V1().Nodes(), factory.Core().V1().Pods())
	if err != nil {
		return err
	}
	var monitors inventory.Monitors
	err = addPage(mgr, "/nodes", `{{range .node}}{{taints .}} {{explain .}} {{simulated . "drained"}}{{end}}`, template.FuncMap{
		"taints": placer.Taints, "explain": placer.Explain, "simulated": placer.Simulated,
		"ready": monitors.Ready, "replicas": monitors.Replicas, "select": monitors.Select,
	})
	if err != nil {
		return err
	}
	return errors.Join(mgr.Add(things), mgr.Add(deployments), mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		nodes.StartWithContext(ctx)
		defer nodes.Shutdown()
		go labeller.Run(ctx)
		return placer.Start(ctx)
	})), mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
		return pods.Start(ctx)
	})))
}

// addUsage adds what counts.
func addUsage(mgr ctrl.Manager, stop <-chan struct{}) error {
	kube, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return err
	}
	counter, err := usage.New(kube, stop)
	if err != nil {
		return err
	}
	err = addPage(mgr, "/usage", `{{namespaces .ctx}} {{classes .ctx}}`, template.FuncMap{
		"namespaces": counter.Namespaces, "classes": counter.Classes,
	})
	if err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(func(context.Context) error { return counter.Start() }))
}

// addPage adds a page for those who look after the operator.
func addPage(mgr ctrl.Manager, path, text string, funcs template.FuncMap) error {
	page, err := template.New(path).Funcs(funcs).Parse(text)
	if err != nil {
		return err
	}
	return mgr.AddMetricsServerExtraHandler(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := page.Execute(w, map[string]any{"node": r.URL.Query()["node"], "ctx": r.Context()}); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
}

// accounts talks to the servers' administration endpoint.
type accounts struct{ http *http.Client }

func (a accounts) Ensure(ctx context.Context, cache client.ObjectKey, user string, password []byte) error {
	form := url.Values{"user": {user}, "password": {string(password)}}
	target := fmt.Sprintf("http://%s.%s.svc:9121/users", cache.Name, cache.Namespace)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := a.http.Do(req)
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}
