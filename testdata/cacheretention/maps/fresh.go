package maps

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

// planner keeps the pods that it has made, and looks at those of the cache later.
type planner struct {
	pods    corelisters.PodLister
	planned map[string]*corev1.Pod
	all     []*corev1.Pod
}

// Plan keeps what it is handed: new objects.
func (p *planner) Plan(names ...string) {
	var pods []*corev1.Pod
	for _, name := range names {
		pods = append(pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	p.keep(pods...)
	for i := range pods {
		if cached, err := p.pods.Pods("a").Get(pods[i].Name); err == nil {
			pods[i] = cached
		}
	}
}

func (p *planner) keep(pods ...*corev1.Pod) {
	for _, pod := range pods {
		p.planned[pod.Name] = pod
	}
}

// Replan keeps a new object, and asks the lister with the same variable.
func (p *planner) Replan(name string) error {
	pods := []*corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: name}}}
	p.planned[name] = pods[0]
	p.all = append(p.all, pods[0])
	var err error
	pods[0], err = p.pods.Pods("a").Get(name)
	return err
}

// Reconcile makes the planner live as long as the process, and keeps a cached object.
func (p *planner) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod, err := p.pods.Pods(req.Namespace).Get(req.Name)
	if err == nil {
		p.planned[req.Name] = pod // want `leak: .*p\.planned`
	}
	return ctrl.Result{}, err
}

// Right: each event has a map of its own, which a helper fills, and another one is
// filled where the handlers are registered.
func ownMapByHelper(informer cache.SharedIndexInformer, pods []*corev1.Pod) {
	first := make(map[string]*corev1.Pod)
	for _, pod := range pods {
		noteByName(first, pod)
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) {
			seen := make(map[string]*corev1.Pod)
			noteByName(seen, obj.(*corev1.Pod))
			use := func() int { return len(seen) + len(first) }
			_ = use()
		},
	})
}

func noteByName(seen map[string]*corev1.Pod, pod *corev1.Pod) { seen[pod.Name] = pod }
