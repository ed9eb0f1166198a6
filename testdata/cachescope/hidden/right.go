package hidden

import (
	"context"
	"errors"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func secretUnstructured() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Secret"})
	return u
}

func apiReader(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return mgr.GetAPIReader().Get(ctx, key, &corev1.Secret{})
}

func ownClient(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	c, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme()})
	if err != nil {
		return err
	}
	return c.Get(ctx, key, &corev1.Secret{})
}

func fakeClient(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	if _, err := ctrl.NewManager(cfg, ctrl.Options{}); err != nil {
		return err
	}
	return fake.NewClientBuilder().Build().Get(ctx, key, &corev1.Secret{})
}

func disabled(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}}}},
	})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func byObjectNamespaces(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Secret{}: {Namespaces: map[string]cache.Config{os.Getenv("POD_NAMESPACE"): {}}},
		},
	}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func byObjectFilledLater(ctx context.Context, cfg *rest.Config, key client.ObjectKey, own labels.Selector) error {
	options := ctrl.Options{Cache: cache.Options{ByObject: make(map[client.Object]cache.ByObject)}}
	options.Cache.ByObject[&corev1.Secret{}] = cache.ByObject{Label: own}
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

// limits come from a helper.
func limits() map[client.Object]cache.ByObject {
	return map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Field: fields.OneTermEqualSelector("metadata.name", "backup")},
	}
}

func byObjectOfAHelper(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: limits()}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func aNamespaceThatMayBeEmpty(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	options := ctrl.Options{}
	options.Cache.DefaultNamespaces = map[string]cache.Config{os.Getenv("WATCH_NAMESPACE"): {}}
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func namespacesOfALoop(ctx context.Context, cfg *rest.Config, key client.ObjectKey, namespaces []string) error {
	options := ctrl.Options{Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{}}}
	for _, namespace := range namespaces {
		options.Cache.DefaultNamespaces[namespace] = cache.Config{}
	}
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func inNamespaces(namespaces []string) (cache.Options, error) {
	if len(namespaces) == 0 {
		return cache.Options{}, errors.New("no namespaces")
	}
	options := cache.Options{DefaultNamespaces: make(map[string]cache.Config), ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {}}}
	for _, namespace := range namespaces {
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options, nil
}

func namespacesOfAHelper(ctx context.Context, cfg *rest.Config, key client.ObjectKey, namespaces []string) error {
	limited, err := inNamespaces(namespaces)
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: limited})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func oneNamespaceOrAnother(ctx context.Context, cfg *rest.Config, key client.ObjectKey, namespace string) error {
	options := ctrl.Options{}
	if namespace == "" {
		options.Cache.DefaultNamespaces = map[string]cache.Config{os.Getenv("POD_NAMESPACE"): {}}
	} else {
		options.Cache.DefaultNamespaces = map[string]cache.Config{namespace: {}}
	}
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func defaultSelector(ctx context.Context, cfg *rest.Config, key client.ObjectKey, own labels.Selector) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{DefaultLabelSelector: own}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func optionsFromTheCaller(ctx context.Context, cfg *rest.Config, options ctrl.Options) error {
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, client.ObjectKey{}, &corev1.Secret{})
}

// OptionsFromTheCaller may be called from anywhere.
func OptionsFromTheCaller(ctx context.Context, cfg *rest.Config, options ctrl.Options) error {
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, client.ObjectKey{}, &corev1.Secret{})
}

func newCacheFunction(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewCache: func(config *rest.Config, opts cache.Options) (cache.Cache, error) {
		opts.DefaultNamespaces = map[string]cache.Config{"backups": {}}
		return cache.New(config, opts)
	}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func newCacheOfAnotherPackage(ctx context.Context, cfg *rest.Config, key client.ObjectKey, newCache cache.NewCacheFunc) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewCache: newCache})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func newClientFunction(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewClient: func(config *rest.Config, options client.Options) (client.Client, error) {
		options.Cache = nil
		return client.New(config, options)
	}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func trimmed(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{DefaultTransform: func(obj any) (any, error) {
		if secret, ok := obj.(*corev1.Secret); ok {
			secret.Data = nil
		}
		return obj, nil
	}}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func ownKind(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &v1.Backup{})
}

func allNodes(ctx context.Context, cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return mgr.GetClient().List(ctx, &corev1.NodeList{}) // needs all of them: the cache is what it is for
}

func allPodsAndOne(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	if err := mgr.GetClient().List(ctx, &corev1.PodList{}); err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Pod{}) // all are there already
}

func unstructuredIsNotCached(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, secretUnstructured())
}

func failsInstead(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ReaderFailOnMissingInformer: true}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func otherCluster(ctx context.Context, cfg, remote *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	c, err := cluster.New(remote)
	if err != nil {
		return err
	}
	if err := mgr.Add(c); err != nil {
		return err
	}
	return c.GetClient().Get(ctx, key, &corev1.Secret{})
}

// either has a client of which nobody knows where it reads.
type either struct{ client.Client }

func (r *either) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, r.Get(ctx, req.NamespacedName, &corev1.Secret{})
}

func setUpEither(cfg *rest.Config, live bool) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	r := &either{Client: mgr.GetClient()}
	if live {
		if r.Client, err = client.New(cfg, client.Options{}); err != nil {
			return err
		}
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// live reads Secrets from the API server, and everything else from the cache.
type live struct {
	client.Client
	secrets client.Reader
}

func (r *live) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	return reconcile.Result{}, r.secrets.Get(ctx, req.NamespacedName, &corev1.Secret{})
}

func setUpLive(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	r := &live{Client: mgr.GetClient(), secrets: mgr.GetAPIReader()}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// wrapper reads Secrets past the cache.
type wrapper struct {
	client.Client
	live client.Reader
}

func (w *wrapper) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if _, ok := obj.(*corev1.Secret); ok {
		return w.live.Get(ctx, key, obj, opts...)
	}
	return w.Client.Get(ctx, key, obj, opts...)
}

func read(ctx context.Context, c client.Client, key client.ObjectKey) error {
	return c.Get(ctx, key, &corev1.Secret{})
}

func throughAWrapper(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return read(ctx, &wrapper{Client: mgr.GetClient(), live: mgr.GetAPIReader()}, key)
}

func indexed(ctx context.Context, cfg *rest.Config, node string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	// Whoever registers an index knows that all are cached.
	if err := mgr.GetFieldIndexer().IndexField(ctx, &corev1.Pod{}, "spec.nodeName", func(o client.Object) []string {
		return []string{o.(*corev1.Pod).Spec.NodeName}
	}); err != nil {
		return err
	}
	return mgr.GetClient().List(ctx, &corev1.PodList{}, client.MatchingFields{"spec.nodeName": node})
}

// other is registered by another program only: nothing here calls it through an
// interface.
type other struct{}

func (other) AddTo(ctx context.Context, mgr ctrl.Manager, key client.ObjectKey) error {
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

type adder interface {
	AddTo(ctx context.Context, mgr ctrl.Manager, key client.ObjectKey) error
}

func addAll(ctx context.Context, cfg *rest.Config, key client.ObjectKey, adders []adder) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	for _, a := range adders {
		if err := a.AddTo(ctx, mgr, key); err != nil {
			return err
		}
	}
	return nil
}
