package driver

import "testing"

func TestURIs(t *testing.T) {
	for name, want := range map[string]string{
		"/a b/ü%.go": "file:///a%20b/%C3%BC%25.go",
		"C:/a/b.go":  "file:///C:/a/b.go",
		"/a?b#c.go":  "file:///a%3Fb%23c.go",
	} {
		if got := fileURI(name); got != want {
			t.Errorf("file %s: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"a b/c.go":   "a%20b/c.go",
		"dir/a:b.go": "dir/a:b.go",
		"a:b.go":     "./a:b.go", // a: is no scheme
	} {
		if got := relativeURI(name); got != want {
			t.Errorf("name %s: %s, want %s", name, got, want)
		}
	}
}
