// Command given has helpers to which callers give a client: of some it is known whose
// that is, and of some it is that of a cluster which the registry knows, or nobody's.
package main

import (
	"context"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch

// Registry has the clients of the clusters.
type Registry interface {
	GetClient(ctx context.Context, cluster client.ObjectKey) (client.Client, error)
}

// Provider gives the one client that there is.
type Provider interface {
	Client(ctx context.Context) client.Client
}

// Network is set up with the client of a cluster.
type Network interface {
	Reconcile(ctx context.Context, c client.Client, backup *v1.Backup) error
}

// Storage is set up with the manager's client, by a method of the same name.
type Storage interface {
	Reconcile(ctx context.Context, c client.Client, name string) error
}

// Reconciler works in its own cluster and in others.
type Reconciler struct {
	client.Client
	registry Registry
	provider Provider
	network  Network
	storage  Storage
}

// Reconcile gives clients to helpers.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	remote, err := r.registry.GetClient(ctx, client.ObjectKey{Name: backup.Name})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.network.Reconcile(ctx, remote, &backup); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.storage.Reconcile(ctx, r.Client, backup.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := mixed(ctx, remote); err != nil {
		return ctrl.Result{}, err
	}
	if err := mixed(ctx, r); err != nil {
		return ctrl.Result{}, err
	}
	if err := provided(ctx, r.provider.Client(ctx)); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, write(ctx, r.Client)
}

type network struct{}

// Reconcile goes on to a helper.
func (*network) Reconcile(ctx context.Context, c client.Client, backup *v1.Backup) error {
	return daemons(ctx, c, backup.Name)
}

func daemons(ctx context.Context, c client.Client, name string) error {
	return c.Get(ctx, client.ObjectKey{Name: name}, &appsv1.DaemonSet{}) // want `^hygiene: c\.Get is forbidden if its client is the manager's: no role grants get of daemonsets\.apps; if so, add a marker .*rbac/missing-resource`
}

type storage struct{}

// Reconcile is called with the manager's client.
func (*storage) Reconcile(ctx context.Context, c client.Client, name string) error {
	return c.Delete(ctx, &corev1.PersistentVolumeClaim{}) // want `^hygiene: c\.Delete is forbidden if its client is the manager's: no role grants delete of persistentvolumeclaims; if so, .*rbac/missing-resource`
}

// mixed is given the manager's client by one of two callers, and that of another cluster by the other.
func mixed(ctx context.Context, c client.Client) error {
	return c.Create(ctx, &batchv1.Job{}) // want `^hygiene: c\.Create is forbidden if its client is the manager's: no role grants create of jobs\.batch; if so, .*rbac/missing-resource`
}

// provided is given the only client of a provider, which is lost track of.
func provided(ctx context.Context, c client.Client) error {
	return c.Create(ctx, &corev1.Pod{}) // want `^hygiene: c\.Create is forbidden if its client is the manager's: no role grants create of pods; if so, .*rbac/missing-resource`
}

// write is given one that only writes.
func write(ctx context.Context, w client.Writer) error {
	return w.Update(ctx, &corev1.Secret{}) // want `^stuck: w\.Update is always forbidden: no role grants update of secrets; .*rbac/missing-resource`
}

// Client is what people's tools have.
type Client interface {
	Create(ctx context.Context, obj client.Object) error
}

// Mover is for a tool for people, which is another program.
type Mover struct{ retries int }

// Move has literals around the call.
func (m *Mover) Move(ctx context.Context, to Client) error {
	try := func() error { return move(ctx, to) }
	for range m.retries {
		if err := try(); err != nil {
			return err
		}
	}
	return try()
}

func move(ctx context.Context, c Client) error {
	return c.Create(ctx, &v1.Backup{}) // want `^hygiene: c\.Create is forbidden if its client is the manager's: no role grants create of backups\.example\.opvet\.dev; if so, add it to the marker .*rbac/missing-verb`
}

// Setup is handed a manager by whoever that may be.
func Setup(mgr ctrl.Manager) error {
	return label(mgr.GetClient())
}

func label(c client.Client) error {
	return c.Update(context.Background(), &corev1.LimitRange{}) // want `^hygiene: c\.Update is forbidden if its client is the manager's: no role grants update of limitranges; if so, .*rbac/missing-resource`
}

// Unused has a client that is nobody's: whoever sees the whole module knows that nothing writes with it.
type Unused struct{ client client.Client }

// Write is called by no code of the project.
func (u *Unused) Write(ctx context.Context) error {
	return u.client.Update(ctx, &corev1.PersistentVolume{}) // want `^stuck: u\.client\.Update is always forbidden: no role grants update of persistentvolumes; .*rbac/missing-resource`
}

// Factory makes a client of the cluster of a kubeconfig.
type Factory interface {
	Build(kubeconfig string) (client.Client, error)
}

type factory struct{}

func (factory) Build(kubeconfig string) (client.Client, error) {
	cfg, err := config.GetConfigWithContext(kubeconfig)
	if err != nil {
		return nil, err
	}
	return client.New(cfg, client.Options{})
}

// Deleter retries in a literal.
type Deleter struct{ factory Factory }

// Run keeps the client in a variable.
func (d *Deleter) Run(ctx context.Context) error {
	var c client.Client
	return retried(func() error {
		var err error
		if c, err = d.factory.Build("other"); err != nil {
			return err
		}
		return c.Delete(ctx, &corev1.Endpoints{}) // want `^hygiene: c\.Delete is forbidden if its client is the manager's: .*rbac/missing-resource`
	})
}

func retried(try func() error) error {
	if err := try(); err != nil {
		return try()
	}
	return nil
}

// Injected has the client from controller-runtime.
type Injected struct{ client client.Client }

// InjectClient is called by no code of the project.
func (i *Injected) InjectClient(c client.Client) error {
	i.client = c
	return nil
}

func (i *Injected) write(ctx context.Context) error {
	return i.client.Create(ctx, &corev1.ConfigMap{}) // want `^stuck: i\.client\.Create is always forbidden: no role grants create of configmaps; .*rbac/missing-resource`
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	r := &Reconciler{Client: mgr.GetClient(), network: &network{}, storage: &storage{}}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r); err != nil {
		os.Exit(1)
	}
	if err := (&Deleter{factory: factory{}}).Run(context.Background()); err != nil {
		os.Exit(1)
	}
	if err := (&Injected{}).write(context.Background()); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
