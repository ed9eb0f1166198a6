// Package labels labels and compares objects for another package.
package labels

import (
	"reflect"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Add labels an object.
func Add(backup *v1.Backup, labels map[string]string) {
	if backup.Labels == nil {
		backup.Labels = make(map[string]string)
	}
	for name, value := range labels {
		backup.Labels[name] = value
	}
}

// Differ tells whether two objects want something else.
func Differ(a, b *v1.Backup) bool { return !reflect.DeepEqual(a.Spec, b.Spec) }

// TakeOver takes over what the API server has set.
func TakeOver(found, wanted *v1.Backup) { wanted.ResourceVersion = found.ResourceVersion }

// Merge goes through steps that others may add.
func Merge(found, wanted *v1.Backup) {
	for _, step := range Steps {
		step(found, wanted)
	}
}

// Steps are those of Merge.
var Steps []func(found, wanted *v1.Backup)
