package detachedcalls

import (
	"go/ast"
	"testing"
)

func TestGivesReason(t *testing.T) {
	for comment, want := range map[string]bool{
		"// detached: the record must be kept":                     true,
		"// The context of the caller has been cancelled by then.": true,
		"// the write must not be interrupted":                     true,
		"//nolint:contextcheck":                                    true,
		"//nolint:gosec,contextcheck // why":                       true,
		"// #nosec G118":                                           true,
		"// TODO: pass the ctx of the caller":                      false,
		"// FIXME use the right context":                           false,
		"// update what has changed":                               false,
		"// ctx, cancel := context.WithTimeout(ctx, time.Minute)":  false,
		"//nolint:errcheck":                                        false,
		"// want `ctx is at hand`":                                 false,
	} {
		if got := givesReason(&ast.CommentGroup{List: []*ast.Comment{{Text: comment}}}); got != want {
			t.Errorf("%s: a reason: %t, want %t", comment, got, want)
		}
	}
}
