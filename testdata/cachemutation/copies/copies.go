// Package copies has copies by value of cached objects.
package copies

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type controller struct {
	pods    corelisters.PodLister
	backups lister
}

// lister is as lister-gen makes it.
type lister interface {
	List(selector labels.Selector) ([]*v1.Backup, error)
	Get(name string) (*v1.Backup, error)
	BackupListerExpansion
}

// BackupListerExpansion is for methods that are written by hand.
type BackupListerExpansion interface{}

// Mistakes.

func (c *controller) mapOfCopy(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	changed := *pod
	changed.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: changed\.Labels\["a"\] is shared with the informer cache by a copy by value \(c\.pods\.Get, line \d+\).*cachemutation/shallow-copy`
}

func (c *controller) copyOfSpec(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	spec := pod.Spec
	spec.NodeName = "a"
	spec.Containers[0].Image = "b" // want `cachemutation/shallow-copy`
}

func (c *controller) rangeCopy(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	for _, container := range pod.Spec.Containers {
		container.Image = "a"
		container.Env[0].Value = "b" // want `cachemutation/shallow-copy`
	}
}

func (c *controller) partInOwnObject(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	created := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: pod.Labels}}
	created.Labels["b"] = "c" // want `^crash: crash if the map is read meanwhile: created\.Labels\["b"\] belongs to the informer cache \(c\.pods\.Get, line \d+\).*cachemutation/lister-object`
}

func (c *controller) conditionOfCopy(name string) {
	backup, err := c.backups.Get(name)
	if err != nil {
		return
	}
	changed := *backup
	meta.SetStatusCondition(&changed.Status.Conditions, metav1.Condition{Type: "Ready"}) // want `cachemutation/shallow-copy`
}

func (c *controller) clonedSliceOfPointers(name string) {
	pods, _ := c.pods.List(labels.Everything())
	for _, pod := range slices.Clone(pods) {
		pod.Name = "a" // want `cachemutation/lister-object`
	}
}

// Right.

func (c *controller) ownScalars(name string) *corev1.Pod {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return nil
	}
	changed := *pod
	changed.Spec.NodeName = "a"
	changed.Labels = nil
	return &changed
}

func (c *controller) mapReplaced(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	changed := *pod
	changed.Labels = maps.Clone(pod.Labels)
	changed.Labels["a"] = "b"
	changed.Spec = *pod.Spec.DeepCopy()
	changed.Spec.Containers[0].Image = "a"
}

func (c *controller) metadataReplaced(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	changed := *pod
	changed.ObjectMeta = metav1.ObjectMeta{Labels: map[string]string{}}
	changed.Labels["a"] = "b"
}

func (c *controller) clonedMap(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	set := maps.Clone(pod.Labels)
	set["a"] = "b"
	names := map[string]string{}
	maps.Copy(names, pod.Annotations)
	names["a"] = "b"
	for k, v := range pod.Labels {
		names[k] = v
	}
}

func (c *controller) copyOfCopy(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	changed := *pod.DeepCopy()
	changed.Labels["a"] = "b"
}

func (c *controller) rangeOverScalars(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	for _, port := range pod.Spec.Containers[0].Ports {
		port.ContainerPort = 80
	}
	own := make([]corev1.ContainerPort, len(pod.Spec.Containers[0].Ports))
	copy(own, pod.Spec.Containers[0].Ports)
	own[0].ContainerPort = 80
}

// replacedByHelpers has helpers put copies in the place of what is shared.
func (c *controller) replacedByHelpers(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	changed := *pod
	ownLabels(&changed, pod.Labels)
	mark(&changed)
	pods, _ := c.pods.List(labels.Everything())
	for i := range pods {
		ownElement(pods, i)
	}
	for _, pod := range pods {
		pod.Labels["a"] = "b"
	}
}

func ownLabels(pod *corev1.Pod, from map[string]string) { pod.Labels = maps.Clone(from) }

func ownElement(pods []*corev1.Pod, i int) { pods[i] = pods[i].DeepCopy() }

func mark(pod *corev1.Pod) { pod.Labels["a"] = "b" }

// replacedSometimes has one that does so for some only.
func (c *controller) replacedSometimes(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	changed := *pod
	ownLabelsOf(&changed, pod)
	mark(&changed) // want `^crash: crash if the map is read meanwhile: mark writes to pod\.Labels\["a"\].*cachemutation/through-helper`
}

func ownLabelsOf(pod, from *corev1.Pod) {
	if len(from.Annotations) > 0 {
		pod.Labels = maps.Clone(from.Labels)
	}
}

// replacedByHelpersOfHelpers has helpers that leave that to others.
func (c *controller) replacedByHelpersOfHelpers(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	changed := *pod
	prepare(&changed, pod)
	mark(&changed)
	pods, _ := c.pods.List(labels.Everything())
	for i := range pods {
		ownOne(pods, i)
	}
	for _, pod := range pods {
		pod.Labels["a"] = "b"
	}
}

func prepare(pod, from *corev1.Pod) { ownLabels(pod, from.Labels) }

func ownOne(pods []*corev1.Pod, i int) {
	own := func() { pods[i] = copyOf(pods[i]) }
	own()
}

func copyOf(pod *corev1.Pod) *corev1.Pod { return pod.DeepCopy() }

// replacedElsewhere has one that replaces what nobody changes.
func (c *controller) replacedElsewhere(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	changed := *pod
	prepareAnnotations(&changed, pod)
	markAfter(&changed) // want `^crash: crash if the map is read meanwhile: markAfter writes to pod\.Labels\["a"\].*cachemutation/through-helper`
}

func prepareAnnotations(pod, from *corev1.Pod) { ownAnnotations(pod, from.Annotations) }

func ownAnnotations(pod *corev1.Pod, from map[string]string) { pod.Annotations = maps.Clone(from) }

func markAfter(pod *corev1.Pod) { pod.Labels["a"] = "b" }

// replacedByLiteral has a literal that another function runs put copies in their place.
func (c *controller) replacedByLiteral() {
	pods, _ := c.pods.List(labels.Everything())
	for i := range pods {
		ownByLiteral(pods, i)
	}
	for _, pod := range pods {
		pod.Labels["a"] = "b"
	}
}

func ownByLiteral(pods []*corev1.Pod, i int) {
	with(pods, func(pods []*corev1.Pod) { pods[i] = pods[i].DeepCopy() })
}

func with[T any](x T, do func(T)) { do(x) }

// replacedMaybe has one that is not always run.
func (c *controller) replacedMaybe(wanted bool) {
	pods, _ := c.pods.List(labels.Everything())
	for i := range pods {
		ownMaybe(pods, i, wanted)
	}
	for _, pod := range pods {
		pod.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: pod\.Labels\["a"\] belongs to the informer cache.*cachemutation/lister-object`
	}
}

func ownMaybe(pods []*corev1.Pod, i int, wanted bool) {
	maybe(wanted, func() { pods[i] = pods[i].DeepCopy() })
}

func maybe(wanted bool, do func()) {
	if wanted {
		do()
	}
}
