package rule

import "testing"

func TestIsAside(t *testing.T) {
	for path, want := range map[string]bool{
		"github.com/acme/operator/third_party/kit/client":   true,
		"github.com/acme/operator/examples/custom":          true,
		"example.io/operator/tools/load":                    true,
		"github.com/acme/operator/hack":                     true,
		"github.com/acme/operator/scripts":                  true,
		"github.com/acme/operator/pkg/identity/testUtils":   true,
		"github.com/acme/operator/pkg/latest":               false,
		"github.com/acme/tools/controllers":                 false, // the repository's name
		"github.com/examples/operator/internal/controllers": false,
		"example.io/tools":                                  false,
		"github.com/acme/operator/pkg/toolset":              false,
		"operator":                                          false,
		"main":                                              false,
	} {
		if got := IsAside(path); got != want {
			t.Errorf("IsAside(%q) = %t", path, got)
		}
	}
}
