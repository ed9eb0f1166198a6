// Package placement keeps servers away from nodes that are being drained.
package placement

import (
	"context"
	"fmt"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// drainedLabel marks a node that servers have left.
const drainedLabel = "cache.demo.opvet.dev/drained"

// Placer looks at the nodes again and again.
type Placer struct {
	kube   kubernetes.Interface
	nodes  corelisters.NodeLister
	synced cache.InformerSynced
	reader client.Reader
}

// New makes a Placer.
func New(kube kubernetes.Interface, informer coreinformers.NodeInformer, reader client.Reader) (*Placer, error) {
	p := &Placer{kube: kube, nodes: informer.Lister(), synced: informer.Informer().HasSynced, reader: reader}
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: p.nodeAdded})
	if err != nil {
		return nil, fmt.Errorf("registering the handler: %w", err)
	}
	return p, nil
}

// Start runs the Placer until the context is done.
func (p *Placer) Start(ctx context.Context) error {
	if !cache.WaitForCacheSync(ctx.Done(), p.synced) {
		return nil
	}
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := p.place(ctx); err != nil {
				klog.ErrorS(err, "Placing servers")
			}
		}
	}
}

// nodeAdded logs a node, without what nobody reads.
func (p *Placer) nodeAdded(obj any) {
	node, ok := obj.(*corev1.Node)
	if !ok {
		return
	}
	node.ManagedFields = nil
	klog.InfoS("Seen", "node", node)
}

func (p *Placer) place(ctx context.Context) error {
	nodes, err := p.nodes.List(labels.Everything())
	if err != nil {
		return err
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Name < nodes[j].Name })
	for _, node := range nodes {
		if !node.Spec.Unschedulable {
			continue
		}
		if err := p.drained(ctx, node.Name); err != nil {
			return err
		}
	}
	return p.count(ctx)
}

// drained marks a node.
func (p *Placer) drained(ctx context.Context, name string) error {
	node, err := p.nodes.Get(name)
	if err != nil {
		return err
	}
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[drainedLabel] = "true"
	_, err = p.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// Taints describes what keeps servers from a node.
func (p *Placer) Taints(name string) ([]string, error) {
	node, err := p.nodes.Get(name)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, taint := range ordered(node.Spec.Taints) {
		texts = append(texts, taint.ToString())
	}
	return texts, nil
}

func ordered(taints []corev1.Taint) []corev1.Taint {
	sort.Slice(taints, func(i, j int) bool { return taints[i].Key < taints[j].Key })
	return taints
}

// Simulated is a node as it would be without the taint.
func (p *Placer) Simulated(name, key string) (*corev1.Node, error) {
	node, err := p.nodes.Get(name)
	if err != nil {
		return nil, err
	}
	simulated := *node
	simulated.Spec.Unschedulable = false
	delete(simulated.Labels, drainedLabel)
	return &simulated, nil
}

// Explain says what a node lacks.
func (p *Placer) Explain(name string) (string, error) {
	node, err := p.nodes.Get(name)
	if err != nil {
		return "", err
	}
	withDefaults(node)
	return fmt.Sprint(node.Labels), nil
}

func withDefaults(node *corev1.Node) {
	if _, ok := node.Labels[corev1.LabelTopologyZone]; !ok {
		node.Labels[corev1.LabelTopologyZone] = "unknown"
	}
}

// count logs how many servers there are by zone.
func (p *Placer) count(ctx context.Context) error {
	var pods corev1.PodList
	if err := p.reader.List(ctx, &pods); err != nil {
		return err
	}
	zones := make(map[string]int)
	for i := range pods.Items {
		pod := &pods.Items[i]
		if _, ok := pod.Labels[corev1.LabelTopologyZone]; !ok {
			pod.Labels[corev1.LabelTopologyZone] = "unknown"
		}
		zones[pod.Labels[corev1.LabelTopologyZone]]++
	}
	klog.InfoS("Servers", "zones", zones)
	return nil
}
