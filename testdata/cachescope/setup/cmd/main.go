// Command cmd gets its manager from another package.
package main

import (
	"github.com/opvet/opvet/testdata/cachescope/setup/controllers"
	"github.com/opvet/opvet/testdata/cachescope/setup/manager"
)

func main() {
	mgr, err := manager.New() // want `reading v1.ConfigMap from the manager's cache, as at controllers/controllers.go:29, .*\(cachescope/hidden-informer\)`
	if err != nil {
		panic(err)
	}
	for _, add := range controllers.AddToManager {
		if err := add(mgr); err != nil {
			panic(err)
		}
	}
}
