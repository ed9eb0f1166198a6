package ruledoc

import (
	"testing"

	"golang.org/x/tools/go/analysis"
)

var sample = &analysis.Analyzer{Name: "sample", Doc: `sample: a title

What it finds.

# first

Words about [it].

	code()

# second

More words.

[it]: https://example.com/it`}

func TestSection(t *testing.T) {
	doc := Parse(sample)
	first, ok := Section(doc, "first")
	if !ok {
		t.Fatal("no first section")
	}
	if got, want := Markdown(first), "Words about [it](https://example.com/it).\n\n```go\ncode()\n```\n"; got != want {
		t.Errorf("markdown %q, want %q", got, want)
	}
	if got, want := Text(first), "Words about it.\n\n\tcode()\n\n[it]: https://example.com/it\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	second, ok := Section(doc, "second")
	if !ok || Text(second) != "More words.\n\n[it]: https://example.com/it\n" {
		t.Errorf("second section %q", Text(second))
	}
	if third, ok := Section(doc, "third"); ok || len(third.Content) > 0 {
		t.Errorf("third section %v", third)
	}
}
