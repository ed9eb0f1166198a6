// Package steps runs what it is handed.
package steps

// Run runs a step.
func Run(step func()) { step() }
