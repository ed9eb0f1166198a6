// Opvet finds the mistakes that take Kubernetes operators down in production.
// Run "opvet help" for its use.
package main

import (
	"os"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
)

func main() {
	os.Exit(driver.Main(os.Args[1:], analyzers.All(), os.Stdout, os.Stderr))
}
