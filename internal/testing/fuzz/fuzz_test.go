package fuzz

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

var (
	full   = flag.Bool("full", false, "run all seeds instead of a sample")
	random = flag.Duration("random", 0, "how long to change cases at random, without asking what the changes lead to")
)

// FuzzSuite changes a case, chosen by number, or a committed seed, and asks the
// whole suite about it. A failure prints the program: the number would lead to
// another one as soon as there are more cases.
func FuzzSuite(f *testing.F) {
	bases := allBases(f)
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing != nil && fuzzing.Value.String() != "" {
		// An input that takes ten seconds counts as hung. With all code
		// instrumented, the first one would, for the libraries that it needs.
		for _, load := range []func() (*world, error){current, legacy} {
			if err := importAll(load); err != nil {
				f.Fatal(err)
			}
		}
	}
	changes := []string{"", "0123456789abcdefghijklmnopqrstuvwxyz", "\x00\xff\x10\xef\x20\xdf\x30\xcf\x40\xbf\x50\xaf\x60\x9f\x70\x8f", "opvet: the suite over programs that nobody has written"}
	sample := uint32(24) // one of so many seeds is run if not all are
	if testing.Short() {
		sample = 96
	}
	for i := range bases {
		for _, change := range changes {
			if *full || sampled(bases[i].name+change)%sample == 0 {
				f.Add(uint16(i), byte(i), []byte(change))
			}
		}
	}
	f.Fuzz(func(t *testing.T, base uint16, how byte, change []byte) {
		bases[int(base)%len(bases)].fuzz(t, how, change)
	})
}

// TestRandom does without what the fuzzer knows about coverage, for which it
// instruments all code: in the same time this analyses several times as many
// programs. It goes on after a failure.
func TestRandom(t *testing.T) {
	if *random == 0 {
		return
	}
	var (
		bases = allBases(t)
		seed  = uint64(time.Now().UnixNano())
		r     = rand.New(rand.NewPCG(seed, 0))
		start = time.Now()
		n     int
	)
	t.Logf("seed %d", seed)
	for ; time.Since(start) < *random; n++ {
		b, how, change := bases[r.IntN(len(bases))], byte(r.Uint32()), make([]byte, 8+r.IntN(120))
		for i := range change {
			change[i] = byte(r.Uint32())
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) { b.fuzz(t, how, change) })
	}
	t.Logf("%d programs", n)
}

func (b base) fuzz(t *testing.T, how byte, change []byte) {
	mutated, err := b.program.mutate(&choices{change})
	if err != nil {
		t.Fatalf("%s: %v", b.name, err)
	}
	mutated.test(t, mode{strict: how&1 == 0, bare: how&2 != 0})
}

func sampled(name string) uint32 {
	h := fnv.New32()
	h.Write([]byte(name))
	return h.Sum32()
}

// TestSeeds analyses the committed programs as they are.
func TestSeeds(t *testing.T) {
	for _, b := range seeds(t) {
		t.Run(b.name, func(t *testing.T) {
			for _, m := range []mode{{}, {strict: true}, {strict: true, bare: true}} {
				b.program.test(t, m)
			}
		})
	}
}

type base struct {
	name    string
	program *program
}

// allBases returns the packages of cases of both modules, and the seeds.
func allBases(t testing.TB) []base {
	var bases []base
	for _, load := range []func() (*world, error){current, legacy} {
		w, err := load()
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range w.cases() {
			bases = append(bases, base{path, w.program(path)})
		}
	}
	return append(bases, seeds(t)...)
}

// seeds returns the programs that are kept in testdata, those of the module
// with older libraries in a folder of their own.
func seeds(t testing.TB) []base {
	var bases []base
	for _, module := range []struct {
		dir  string
		load func() (*world, error)
	}{{"testdata", current}, {"testdata/legacy", legacy}} {
		names, err := filepath.Glob(filepath.Join(module.dir, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			w, err := module.load()
			if err != nil {
				t.Fatal(err)
			}
			bases = append(bases, base{filepath.Base(name), w.archived(archive)})
		}
	}
	return bases
}
