// Package fresh makes objects without maps, and stores entries into these.
package fresh

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sigs.k8s.io/yaml"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func listener(name string, template *corev1.PodTemplateSpec) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}}
	if template != nil {
		merge(pod, template)
	}
	return pod
}

func merge(pod *corev1.Pod, template *corev1.PodTemplateSpec) {
	for k, v := range template.Annotations {
		if _, ok := pod.Annotations[k]; !ok {
			pod.Annotations[k] = v // want `this panics: the Pod is made without annotations, and the map is nil; make it before this entry is stored \(nilmap/metadata\)`
		}
	}
	for k, v := range template.Labels {
		pod.Labels[k] = v
	}
}

func directly(name string) *corev1.ConfigMap {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	config.Data["a"] = "b" // want `this panics: the ConfigMap is made without data, and the map is nil`
	return config
}

func empty(name string, more map[string]string) v1.Backup {
	var backup v1.Backup
	backup.Name = name
	maps.Copy(backup.Labels, more) // want `this panics: the Backup is made without labels, and the map is nil`
	return backup
}

// Right.

func made(name string, more map[string]string) *corev1.ConfigMap {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	config.Data = map[string]string{}
	config.Data["a"] = "b"
	if config.Labels == nil {
		config.Labels = map[string]string{}
	}
	maps.Copy(config.Labels, more)
	return config
}

func copied(backup v1.Backup) *v1.Backup {
	other := backup
	other.Labels["a"] = "b"
	return &other
}

func handed(name string, meta metav1.ObjectMeta) *v1.Backup {
	backup := &v1.Backup{ObjectMeta: meta}
	backup.Labels["a"] = "b"
	return backup
}

func filled(name string) *corev1.Secret {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}
	fill(secret)
	secret.Data["a"] = []byte("b")
	return secret
}

func fill(secret *corev1.Secret) { secret.Data = map[string][]byte{} }

const template = `
metadata:
  labels: {app: backup}
data: {version: "1"}
`

// What a decoder has filled has the maps that the text has.
func decoded(more map[string]string) (*corev1.ConfigMap, error) {
	config := &corev1.ConfigMap{}
	if err := yaml.Unmarshal([]byte(template), config); err != nil {
		return nil, err
	}
	for k, v := range more {
		config.Data[k] = v
		config.Labels[k] = v
	}
	return config, nil
}

// Another object is decoded.
func decodedOther(text []byte) (*corev1.ConfigMap, error) {
	config, other := &corev1.ConfigMap{}, &corev1.ConfigMap{}
	if err := yaml.Unmarshal(text, other); err != nil {
		return nil, err
	}
	config.Data["version"] = other.Data["version"] // want `this panics: the ConfigMap is made without data`
	return config, nil
}

// Each file of a folder is decoded, and there is nothing else in it.
func decodedAll(files map[string][]byte) ([]*v1.Backup, error) {
	var all []*v1.Backup
	for name, text := range files {
		backup := &v1.Backup{}
		if name != "" {
			if err := yaml.Unmarshal(text, backup); err != nil {
				return nil, err
			}
		}
		backup.Annotations["managed-by"] = "operator"
		all = append(all, backup)
	}
	return all, nil
}
