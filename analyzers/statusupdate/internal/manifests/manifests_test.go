package manifests

import "testing"

// TestRead reads definitions with and without the subresource.
func TestRead(t *testing.T) {
	found := make(Manifests)
	if err := found.read("crds.yaml", []byte(`kind: CustomResourceDefinition
spec:
  names: {kind: Engine}
  versions: [{name: v1, subresources: {}}]
---
kind: CustomResourceDefinition
spec:
  names: {kind: Backup}
  versions: [{name: v1, subresources: {status: {}}}]
`)); err != nil {
		t.Fatal(err)
	}
	if found["Engine/v1"] || !found["Backup/v1"] || len(found) != 4 {
		t.Errorf("got %v", found)
	}
}
