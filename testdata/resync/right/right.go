// Package right has resync periods that look too short and are right.
package right

import (
	"flag"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func never(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, 0)
}

func aMinute(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, time.Minute)
}

// The factory has no resync; the one handler that polls disks has.
func perHandler(client kubernetes.Interface, handler cache.ResourceEventHandler) {
	factory := informers.NewSharedInformerFactory(client, 12*time.Hour)
	_, _ = factory.Core().V1().Nodes().Informer().AddEventHandlerWithResyncPeriod(handler, 30*time.Second)
}

func perHandlerWithOptions(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	period := 30 * time.Second
	_, _ = informer.AddEventHandlerWithOptions(handler, cache.HandlerOptions{ResyncPeriod: &period})
}

var resync = flag.Duration("resync", 30*time.Second, "resync period of the informers")

func byFlag(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, *resync)
}

var resyncVar time.Duration

func flags(set *flag.FlagSet) {
	set.DurationVar(&resyncVar, "resync-period", 10*time.Second, "resync period of the informers")
}

func byFlagVariable(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, resyncVar)
}

func byEnvironment(client kubernetes.Interface) informers.SharedInformerFactory {
	period := 30 * time.Second
	if d, err := time.ParseDuration(os.Getenv("RESYNC")); err == nil {
		period = d
	}
	return informers.NewSharedInformerFactory(client, period)
}

type config struct{ Resync time.Duration }

func byConfig(client kubernetes.Interface, c config) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, c.Resync)
}

func singleObject(client kubernetes.Interface, name string) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 10*time.Second,
		informers.WithNamespace("kube-system"),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
		}))
}

func ownNode(client kubernetes.Interface, node string) cache.SharedIndexInformer {
	onNode := func(options *metav1.ListOptions) { options.FieldSelector = "spec.nodeName=" + node }
	return coreinformers.NewFilteredPodInformer(client, metav1.NamespaceAll, 30*time.Second, nil, onNode)
}

func onlyOurs(options *metav1.ListOptions) { options.LabelSelector = "app.kubernetes.io/managed-by=us" }

// There may be few of them.
func labelled(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 30*time.Second, informers.WithTweakListOptions(onlyOurs))
}

func oneNamespace(client dynamic.Interface) dynamicinformer.DynamicSharedInformerFactory {
	return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 30*time.Second, "our-system", nil)
}

func singleListWatch(pods cache.Getter) cache.SharedIndexInformer {
	lw := cache.NewListWatchFromClient(pods, "configmaps", "our-system", fields.OneTermEqualSelector("metadata.name", "settings"))
	return cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, 10*time.Second, cache.Indexers{})
}

func selectingListWatch(client kubernetes.Interface) cache.SharedIndexInformer {
	selector := "metadata.name=settings"
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return client.CoreV1().Secrets("").List(nil, options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return client.CoreV1().Secrets("").Watch(nil, options)
		},
	}, &corev1.Secret{}, 5*time.Second, cache.Indexers{})
}

// Who calls it may list little.
func unknownListWatch(lw cache.ListerWatcher) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(lw, &corev1.Secret{}, 5*time.Second, cache.Indexers{})
}

func unknownOptions(client kubernetes.Interface, options ...informers.SharedInformerOption) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 5*time.Second, options...)
}

// It has one handler, whose period it is.
func notShared(lw cache.ListerWatcher, handler cache.ResourceEventHandler) cache.Controller {
	_, controller := cache.NewInformer(lw, &corev1.Node{}, 30*time.Second, handler)
	return controller
}

func singleKind(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithCustomResyncConfig(map[metav1.Object]time.Duration{
		&corev1.Node{}: 30 * time.Second,
	}))
}

func onFake(objects ...runtime.Object) informers.SharedInformerFactory {
	client := fake.NewClientset(objects...)
	return informers.NewSharedInformerFactory(client, time.Second)
}

func forTest(t *testing.T, client kubernetes.Interface) informers.SharedInformerFactory {
	t.Helper()
	return informers.NewSharedInformerFactory(client, time.Second)
}

func makeFactory(client kubernetes.Interface, resync time.Duration) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, resync)
}

func rightArgument(client kubernetes.Interface) informers.SharedInformerFactory {
	return makeFactory(client, 10*time.Minute)
}

func managerByFlag(restConfig *rest.Config) (ctrl.Manager, error) {
	var period time.Duration
	flag.DurationVar(&period, "sync-period", 30*time.Second, "")
	return ctrl.NewManager(restConfig, ctrl.Options{Cache: runtimecache.Options{SyncPeriod: &period}})
}

func managerInHours(restConfig *rest.Config) (ctrl.Manager, error) {
	period := 10 * time.Hour
	return ctrl.NewManager(restConfig, ctrl.Options{Cache: runtimecache.Options{SyncPeriod: &period}})
}

func oneKindOften(restConfig *rest.Config) (ctrl.Manager, error) {
	period := 30 * time.Second
	return ctrl.NewManager(restConfig, ctrl.Options{Cache: runtimecache.Options{
		ByObject: map[client.Object]runtimecache.ByObject{&corev1.Node{}: {SyncPeriod: &period}},
	}})
}

// Another SyncPeriod.
type options struct{ SyncPeriod *time.Duration }

func otherOptions() options {
	period := 5 * time.Second
	return options{SyncPeriod: &period}
}

func silenced(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, time.Second) //nolint:resync // a demo
}
