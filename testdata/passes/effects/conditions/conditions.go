// Package conditions is a condition library in cluster-api's style, beside
// functions that have nothing to do with conditions of objects.
package conditions

import v1 "github.com/opvet/opvet/testdata/api/v1"

// MarkTrue sets the condition.
func MarkTrue(to v1.Conditioned, name string) {}

// Get only reads: it has a result.
func Get(from v1.Conditioned) []string { return nil }

// Plan is no object.
type Plan struct{}

// Evaluate changes no object.
func Evaluate(p *Plan) {}

// Check has a result, as setters have not.
func Check(b *v1.Backup) bool { return true }
