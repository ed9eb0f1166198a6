package fuzz

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDeterminism analyses packages of cases together, as one program, on one,
// two and eight processors and in any order of packages, each time of other
// syntax and types, and expects the same answer.
func TestDeterminism(t *testing.T) {
	w, err := current()
	if err != nil {
		t.Fatal(err)
	}
	paths := w.cases()
	if !*full {
		// Programs, and what they are made of: there facts matter most.
		every := uint32(4)
		if testing.Short() {
			every = 16
		}
		paths = slices.DeleteFunc(paths, func(path string) bool {
			return !strings.Contains(path, "/cachescope/") && !strings.Contains(path, "/demo") && sampled(path)%every != 0
		})
	}
	p := w.closure(nil, paths...)
	var first map[string]string
	processors := []int{1, 2, 8}
	if testing.Short() {
		processors = []int{1, 8}
	}
	for i, procs := range processors {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			c, err := p.check(nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer c.forget(0)
			seed := rand.Uint64()
			if i > 0 {
				rand.New(rand.NewPCG(seed, seed)).Shuffle(len(c.pkgs), func(i, j int) { c.pkgs[i], c.pkgs[j] = c.pkgs[j], c.pkgs[i] })
			}
			answer, err := c.analyse(mode{strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = answer
				t.Log(fmt.Sprintf("%d packages, %d findings and facts", len(c.pkgs), len(answer)))
			} else if diff := cmp.Diff(first, answer); diff != "" {
				t.Errorf("on %d processors, packages shuffled by %d: %s", procs, seed, diff)
			}
		}()
	}
}
