package driver

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version says which opvet this is: its module version, or the revision that
// it was built from.
func version() string {
	name := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		name = info.Main.Version
		if name == "" {
			name = "(devel)"
		}
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && name == "(devel)" {
				name += " " + setting.Value
			}
		}
	}
	return fmt.Sprintf("opvet %s (%s)", name, runtime.Version())
}
