package driver

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

func printVersion(out io.Writer) error {
	_, err := fmt.Fprintln(out, version())
	return err
}

// version says which opvet this is, and what it was built with.
func version() string {
	return fmt.Sprintf("opvet %s (%s)", moduleVersion(), runtime.Version())
}

// moduleVersion is the version of the module, or the revision that it was
// built from.
func moduleVersion() string {
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
	return name
}
