package informers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opvet/opvet/internal/passes/informers"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestMade checks what becomes of what is made.
func TestMade(t *testing.T) {
	results := passtest.Run[*informers.Uses](t, informers.Analyzer, "../../../testdata", "./informerlifecycle/order")
	got := make(map[string]string)
	for _, result := range results {
		for _, made := range result.Value.Made {
			var texts []string
			for _, use := range made.Uses {
				text := use.Key + " " + use.Verb.String()
				if use.From == nil {
					text += " of what is handed in"
				}
				texts = append(texts, strings.TrimSpace(text))
			}
			for _, escape := range made.Escapes {
				texts = append(texts, strings.TrimSpace(fmt.Sprintf("escape %s kept=%t returned=%t factory=%t", escape.Key, escape.Kept, escape.Returned, escape.Factory)))
			}
			slices.Sort(texts)
			got[made.Instr.Parent().Name()] = strings.Join(texts, ", ")
		}
	}
	for name, want := range map[string]string{
		"accessorBefore": "Core.V1.Nodes HasSynced, Core.V1.Nodes RequestInformer, StartFactory",
		"neverStarted":   "Core.V1.Pods HasSynced, Core.V1.Pods RequestInformer, Core.V1.Pods RequestInformer, Core.V1.Pods nothing, Core.V1.Pods nothing",
		"lateResource":   "ForResource(gvr) RequestInformer, ForResource(gvr) RequestInformer, StartFactory, escape ForResource(gvr) kept=false returned=true factory=false",
		"newFactory":     "Core.V1.Pods RequestInformer, StartFactory, escape Core.V1.Pods kept=false returned=true factory=false",
		"runByItself":    "Core.V1.Pods HasSynced, Core.V1.Pods RequestInformer, Core.V1.Pods RunInformer",
		"handedOut":      "Core.V1.Pods RequestInformer, StartFactory, escape  kept=false returned=false factory=true, escape Core.V1.Pods kept=false returned=true factory=false",
		"NewGroup":       "Core.V1.Pods RequestInformer, escape  kept=true returned=false factory=true, escape Core.V1.Pods kept=true returned=false factory=false",
		"NewPods":        "Core.V1.Pods RequestInformer, escape Core.V1.Pods kept=false returned=true factory=false",
		"startedBySelf":  "Core.V1.Pods HasSynced, Core.V1.Pods RequestInformer, StartFactory of what is handed in",
	} {
		if diff := cmp.Diff(strings.Split(want, ", "), strings.Split(got[name], ", ")); diff != "" {
			t.Errorf("%s: want (-) and got (+):\n%s", name, diff)
		}
	}
}
