// Package constants is where a project keeps its names.
package constants

const (
	Bare     = "protect"
	Imported = "imported"
)
