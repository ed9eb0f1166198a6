// Golangci-lint-opvet is golangci-lint with opvet linked in, which golangci-lint
// calls a custom build: all its linters and commands, and the linter opvet. It has
// logcheck, too, which the configuration that kubebuilder writes asks for.
package main

import (
	"fmt"
	"os"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "sigs.k8s.io/logtools/logcheck/gclplugin"

	_ "github.com/opvet/opvet/plugin"
)

func main() {
	info, err := buildInfo()
	if err == nil {
		err = commands.Execute(info)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "The command is terminated due to an error: %v\n", err)
		os.Exit(exitcodes.Failure)
	}
}
