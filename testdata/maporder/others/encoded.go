package others

import (
	"context"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/maporder/vars"
)

type document struct {
	Title string
	Names []string
}

// A list in a struct that is encoded as a whole.
func encoded(ctx context.Context, c client.Client, found *corev1.ConfigMap, settings map[string]string) error {
	want := found.DeepCopy()
	doc := describe(settings)
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	want.Data["document"] = string(text)
	if equality.Semantic.DeepEqual(found.Data, want.Data) {
		return nil
	}
	return c.Update(ctx, want)
}

func describe(settings map[string]string) document {
	var names []string
	for name := range settings {
		names = append(names, name) // want `^load: ConfigMap\.Data changes each time`
	}
	return document{Title: "settings", Names: names}
}

// Another package encodes it.
func encodedElsewhere(ctx context.Context, c client.Client, found *corev1.ConfigMap, settings map[string]string) error {
	want := found.DeepCopy()
	want.Annotations["document"] = vars.Document(settings) // want `^load: ObjectMeta\.Annotations changes each time.*\(vars/document\.go:\d+\)`
	if equality.Semantic.DeepEqual(found.Annotations, want.Annotations) {
		return nil
	}
	return c.Update(ctx, want)
}

// Traps: another field of the struct, one that is sorted, and one that counts.
func title(ctx context.Context, c client.Client, found *corev1.ConfigMap, settings map[string]string) error {
	want := found.DeepCopy()
	doc := &document{Title: "settings"}
	for name := range settings {
		doc.Names = append(doc.Names, name)
	}
	text, err := json.Marshal(doc.Title)
	if err != nil {
		return err
	}
	want.Data["document"] = string(text)
	if equality.Semantic.DeepEqual(found.Data, want.Data) {
		return nil
	}
	return c.Update(ctx, want)
}

func sortedFirst(ctx context.Context, c client.Client, found *corev1.ConfigMap, settings map[string]string) error {
	want := found.DeepCopy()
	var names []string
	for name := range settings {
		names = append(names, name)
	}
	slices.Sort(names)
	text, err := json.Marshal(document{Title: "settings", Names: names})
	if err != nil {
		return err
	}
	want.Data["document"] = string(text)
	if equality.Semantic.DeepEqual(found.Data, want.Data) {
		return nil
	}
	return c.Update(ctx, want)
}

type index struct{ Names map[string]bool }

func asMap(ctx context.Context, c client.Client, found *corev1.ConfigMap, settings map[string]string) error {
	want := found.DeepCopy()
	known := index{Names: make(map[string]bool)}
	for name := range settings {
		known.Names[name] = true
	}
	text, err := json.Marshal(known)
	if err != nil {
		return err
	}
	want.Data["document"] = string(text)
	if equality.Semantic.DeepEqual(found.Data, want.Data) {
		return nil
	}
	return c.Update(ctx, want)
}
