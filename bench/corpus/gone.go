package main

import (
	"fmt"
	"slices"
)

// movedModules are modules that cannot be had under their old name any more, with
// where the same code is. Old releases of Kubernetes' own modules require them.
var movedModules = []string{"vbom.ml/util=github.com/fvbommel/util@v0.0.0-20180919145318-efcd4e0f9787"}

// redirect makes the module in dir take moved modules from where they are, in this
// checkout only. What is vendored is there already.
func (m *module) redirect(dir string) error {
	if m.Mode != "-mod=mod" {
		return nil
	}
	args := []string{"mod", "edit"}
	for _, moved := range movedModules {
		args = append(args, "-replace="+moved)
	}
	cmd := m.goCommand(dir, args...)
	cmd.Env = slices.Concat(cmd.Env, []string{"GOFLAGS="}) // the command knows no -mod
	if _, err := cmd.Output(); err != nil {
		return fmt.Errorf("redirecting moved modules: %w", withStderr(err))
	}
	return nil
}
