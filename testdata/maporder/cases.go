// Package maporder builds lists, texts and hashes of maps.
package maporder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The mistakes.

func envOfAContainer(c *corev1.Container, env map[string]string) {
	for name, value := range env {
		c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value}) // want `Container\.Env changes each time, though nothing has changed: it is in the order of a map; go through the sorted keys \(maporder/into-object\)`
	}
}

// One habit is told once.
func messages(b *v1.Backup, lost, late map[string]bool) {
	var names []string
	if len(lost) > 0 {
		for name := range lost {
			names = append(names, name) // want `BackupStatus\.Message changes each time.*\(maporder/into-object\)`
		}
		b.Status.Message = "lost: " + strings.Join(names, ", ")
		return
	}
	for name := range late {
		names = append(names, name)
	}
	b.Status.Message = "late: " + strings.Join(names, ", ")
}

func podOf(env map[string]string) *corev1.Pod {
	return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Env: envVars(env)}}}}
}

func envVars(env map[string]string) []corev1.EnvVar {
	var vars []corev1.EnvVar
	for name, value := range env {
		vars = append(vars, corev1.EnvVar{Name: name, Value: value}) // want `Container\.Env changes each time.*\(maporder/into-object\)`
	}
	return vars
}

// A list of the right length is filled.
func podOfAll(env map[string]string) *corev1.Pod {
	vars := make([]corev1.EnvVar, len(env))
	i := 0
	for name, value := range env {
		vars[i] = corev1.EnvVar{Name: name, Value: value} // want `Container\.Env changes each time.*\(maporder/into-object\)`
		i++
	}
	return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Env: vars}}}}
}

func podOfSorted(env map[string]string) *corev1.Pod {
	args, i := make([]string, len(env)), 0
	for name := range env {
		args[i] = name
		i++
	}
	sort.Strings(args)
	return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Args: args}}}}
}

func podOfPlaces(places map[string]int) *corev1.Pod {
	args := make([]string, len(places))
	for name, i := range places {
		args[i] = name
	}
	return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Args: args}}}}
}

func configMapOf(settings map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{Data: map[string]string{"server.conf": render(settings)}}
}

func render(settings map[string]string) string {
	var sb strings.Builder
	sb.WriteString("# made by the operator\n")
	for key, value := range settings {
		fmt.Fprintf(&sb, "%s = %s\n", key, value) // want `ConfigMap\.Data changes each time.*\(maporder/into-object\)`
	}
	return sb.String()
}

func joined(c *corev1.Container, roles map[string]bool) {
	names := make([]string, 0, len(roles))
	for name := range roles {
		names = append(names, name) // want `EnvVar\.Value changes each time.*\(maporder/into-object\)`
	}
	c.Env = append(c.Env, corev1.EnvVar{Name: "ROLES", Value: strings.Join(names, ",")})
}

func concatenated(cm *corev1.ConfigMap, hosts map[string]string) {
	text := ""
	for host, address := range hosts {
		text += address + " " + host + "\n" // want `ConfigMap\.Data changes each time.*\(maporder/into-object\)`
	}
	cm.Data["hosts"] = text
}

func elementsOfASet(b *v1.Backup, names sets.Set[string]) {
	b.Status.Message = strings.Join(names.UnsortedList(), ", ") // want `BackupStatus\.Message changes each time.*\(maporder/into-object\)`
}

func inAnAnnotation(b *v1.Backup, names sets.Set[string]) {
	annotations := b.GetAnnotations()
	if annotations == nil {
		annotations = make(map[string]string)
	}
	annotations["names"] = strings.Join(names.UnsortedList(), ",") // want `ObjectMeta\.Annotations changes each time.*\(maporder/into-object\)`
	b.SetAnnotations(annotations)
}

func inACopyOfTheAnnotations(b *v1.Backup, names sets.Set[string]) *corev1.ConfigMap {
	annotations := without(b.Annotations, "secret")
	annotations["names"] = strings.Join(names.UnsortedList(), ",") // want `ObjectMeta\.Annotations changes each time.*\(maporder/into-object\)`
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Annotations: annotations}}
}

func without(annotations map[string]string, key string) map[string]string {
	copied := maps.Clone(annotations)
	delete(copied, key)
	return copied
}

func collectedKeys(c *corev1.Container, flags map[string]string) {
	c.Args = slices.Collect(maps.Keys(flags)) // want `Container\.Args changes each time.*\(maporder/into-object\)`
}

func hashOfEntries(settings map[string]string) string {
	h := fnv.New32a()
	for key, value := range settings {
		h.Write([]byte(key + value)) // want `the hash is another one each time, though nothing has changed: it is built in the order of a map; go through the sorted keys \(maporder/into-hash\)`
	}
	return fmt.Sprint(h.Sum32())
}

func hashOfAList(settings map[string]string) (string, error) {
	var lines []string
	for key, value := range settings {
		lines = append(lines, key+"="+value) // want `the hash is another one each time.*\(maporder/into-hash\)`
	}
	data, err := json.Marshal(lines)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// Right.

func sortedAfterwards(c *corev1.Container, env map[string]string) {
	var vars []corev1.EnvVar
	for name, value := range env {
		vars = append(vars, corev1.EnvVar{Name: name, Value: value})
	}
	sort.Slice(vars, func(i, j int) bool { return vars[i].Name < vars[j].Name })
	c.Env = vars
}

func sortedKeys(c *corev1.Container, env map[string]string) {
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: env[name]})
	}
}

func sortedByAHelper(c *corev1.Container, env map[string]string) {
	vars := unsorted(env)
	byName(vars)
	c.Env = vars
}

func unsorted(env map[string]string) []corev1.EnvVar {
	var vars []corev1.EnvVar
	for name, value := range env {
		vars = append(vars, corev1.EnvVar{Name: name, Value: value})
	}
	return vars
}

func byName(vars []corev1.EnvVar) {
	slices.SortFunc(vars, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
}

func sortedByTheCaller(c *corev1.Container, env map[string]string) {
	appendTo(c, env)
	c.Env = inOrder(c.Env)
}

func appendTo(c *corev1.Container, env map[string]string) {
	for name, value := range env {
		c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value})
	}
}

func inOrder(vars []corev1.EnvVar) []corev1.EnvVar {
	sort.SliceStable(vars, func(i, j int) bool { return vars[i].Name < vars[j].Name })
	return slices.CompactFunc(vars, func(a, b corev1.EnvVar) bool { return a.Name == b.Name })
}

func intoAMap(cm *corev1.ConfigMap, settings map[string]string) {
	for key, value := range settings {
		cm.Data[key] = value
	}
}

func hashOfAMap(settings map[string]string) (string, error) {
	data, err := json.Marshal(settings) // encoding/json sorts the keys
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(data)), nil
}

func anewInEachRound(cms map[string]*corev1.ConfigMap, lines map[string][]string) {
	for name, cm := range cms {
		text := ""
		for _, line := range lines[name] {
			text += line + "\n"
		}
		cm.Data["text"] = text
	}
}

func oneOfThem(c *corev1.Container, env map[string]string, wanted string) {
	for name, value := range env {
		if name == wanted {
			c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value})
			break
		}
	}
}

func listedForItself(ctx context.Context, c client.Client, pods map[string]*corev1.Pod) error {
	var all []*corev1.Pod
	for _, pod := range pods {
		all = append(all, pod)
	}
	for _, pod := range all {
		if err := c.Delete(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

func onlyIfChanged(svc *corev1.Service, ports map[string]corev1.ServicePort) {
	if changed, list := portsOf(svc, ports); changed {
		svc.Spec.Ports = list
	}
}

func portsOf(svc *corev1.Service, ports map[string]corev1.ServicePort) (bool, []corev1.ServicePort) {
	var list []corev1.ServicePort
	for _, port := range ports {
		list = append(list, port)
	}
	return len(list) != len(svc.Spec.Ports), list
}

func onlyNewOnesAreAdded(svc *corev1.Service, wanted map[string]corev1.ServicePort) {
	for _, port := range svc.Spec.Ports {
		delete(wanted, port.Name)
	}
	for _, port := range wanted {
		svc.Spec.Ports = append(svc.Spec.Ports, port)
	}
}

func addedIfMissing(b *v1.Backup, volumes map[string]bool) {
	for name := range volumes {
		exists := false
		for i := range b.Status.Volumes {
			exists = exists || b.Status.Volumes[i].Name == name
		}
		if !exists {
			b.Status.Volumes = append(b.Status.Volumes, v1.VolumeStatus{Name: name})
		}
	}
}

type mutator struct{}

func (m *mutator) Default(_ context.Context, obj runtime.Object) error {
	pod := obj.(*corev1.Pod)
	for name, value := range pod.Annotations {
		pod.Spec.Containers[0].Env = append(pod.Spec.Containers[0].Env, corev1.EnvVar{Name: name, Value: value})
	}
	return nil
}

func denied(missing map[string]bool) *metav1.Status {
	message := "missing:"
	for name := range missing {
		message += " " + name
	}
	return &metav1.Status{Message: message}
}

func filledOnce(b *v1.Backup, volumes map[string]bool) {
	if len(b.Status.Volumes) == 0 {
		for name := range volumes {
			b.Status.Volumes = append(b.Status.Volumes, v1.VolumeStatus{Name: name})
		}
	}
}

func sortedList(b *v1.Backup, names sets.Set[string]) {
	b.Status.Message = strings.Join(sets.List(names), ", ")
}

type inventory struct{ spec corev1.PodSpec }

// What the program knows is no object that it writes.
func (i *inventory) fill(volumes map[string]corev1.Volume) {
	for _, volume := range volumes {
		i.spec.Volumes = append(i.spec.Volumes, volume)
	}
}

func sortedInAnAnnotation(b *v1.Backup, names sets.Set[string]) {
	annotations := without(b.GetAnnotations(), "names")
	annotations["names"] = strings.Join(sets.List(names), ",")
	b.SetAnnotations(annotations)
}

// The text is for people alone.
func onlyLogged(b *v1.Backup, names sets.Set[string]) {
	fields := without(b.GetAnnotations(), "secret")
	fields["names"] = strings.Join(names.UnsortedList(), ",")
	fmt.Println(fields)
}

// The entries come in a map's order, and end in one.
func labelled(b *v1.Backup, extra map[string]string) {
	labels := without(b.GetLabels(), "app")
	for key, value := range extra {
		labels[key] = value
	}
	b.SetLabels(labels)
}

// onceMade fills in what a pod has from its creation on.
func onceMade(pod *corev1.Pod, settings map[string]string) {
	if pod.CreationTimestamp.IsZero() {
		pod.Spec.Containers[0].Args = []string{render(settings)}
	}
	if pod.UID == "" {
		pod.Spec.NodeName = joinedNames(settings)
	}
}

// laterOn fills it in each time but the first.
func laterOn(pod *corev1.Pod, settings map[string]string) {
	if !pod.CreationTimestamp.IsZero() {
		pod.Spec.SchedulerName = joinedKeys(settings)
	}
}

func joinedNames(settings map[string]string) string {
	var names []string
	for name := range settings {
		names = append(names, name)
	}
	return strings.Join(names, ",")
}

func joinedKeys(settings map[string]string) string {
	var names []string
	for name := range settings {
		names = append(names, name) // want `PodSpec\.SchedulerName changes each time.*\(maporder/into-object\)`
	}
	return strings.Join(names, ",")
}

// Helpers add to the list, or to the text.

func envByHelper(settings map[string]string, container *corev1.Container) {
	for name, value := range settings {
		addEnv(container, name, value) // want `Container\.Env changes each time`
	}
}

func addEnv(container *corev1.Container, name, value string) {
	container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: value})
}

// Right: the helper replaces what is there, each gets a list of its own, or all get the same.

func envByUpsert(settings map[string]string, container *corev1.Container) {
	for name, value := range settings {
		setEnv(container, name, value)
	}
}

func setEnv(container *corev1.Container, name, value string) {
	for i := range container.Env {
		if container.Env[i].Name == name {
			container.Env[i].Value = value
			return
		}
	}
	container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: value})
}

func ownContainers(settings map[string]string, containers map[string]*corev1.Container) {
	for name, value := range settings {
		container := containers[name]
		addEnvOnce(container, name, value)
	}
}

func addEnvOnce(container *corev1.Container, name, value string) {
	container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: value})
}

func sameForAll(settings map[string]string, container *corev1.Container) {
	for range settings {
		addArgument(container)
	}
}

func addArgument(container *corev1.Container) { container.Args = append(container.Args, "-v") }

func someOnly(settings map[string]string, container *corev1.Container, first string) {
	for name := range settings {
		if name == first {
			addFirst(container, name)
			break
		}
	}
}

func addFirst(container *corev1.Container, name string) {
	container.Command = append(container.Command, name)
}
