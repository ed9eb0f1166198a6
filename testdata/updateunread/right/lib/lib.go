// Package lib merges what is there into what is wanted.
package lib

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Merge takes over what others have set.
func Merge(found, wanted *unstructured.Unstructured) error { return mergeAll(found, wanted) }

func mergeAll(found, wanted *unstructured.Unstructured) error {
	for _, merge := range steps {
		if err := merge(found, wanted); err != nil {
			return err
		}
	}
	return nil
}

var steps = []func(found, wanted *unstructured.Unstructured) error{mergeMetadata}

func mergeMetadata(found, wanted *unstructured.Unstructured) error {
	wanted.SetResourceVersion(found.GetResourceVersion())
	return nil
}
