package driver

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// When to collect garbage. The collector's own rule (when there is as much
// garbage as live memory) collects a small heap a dozen times until it is a
// large one, and lets a large one, which is what loading leaves, double for
// the little that the passes add to it. docs/performance.md has what this
// saves and costs.
const (
	firstGC      = 160 << 20 // heap at which to collect for the first time
	headroom     = 144 << 20 // garbage that may pile up afterwards,
	leastPercent = 85        // or this much of the live memory
)

// paceGC makes the collector follow that, unless the user has set how it
// should behave.
func paceGC() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	const minHeap = 4 << 20 // at which the runtime starts to collect with GOGC=100
	debug.SetGCPercent(firstGC / minHeap * 100)
	afterEachGC(func() {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		if sample[0].Value.Kind() != metrics.KindUint64 {
			return
		}
		live := max(sample[0].Value.Uint64(), minHeap)
		debug.SetGCPercent(int(max(leastPercent, headroom*100/live)))
	})
}

// afterEachGC calls f after each collection: an object that nothing holds is
// cleaned up in the next one, and makes its successor then.
func afterEachGC(f func()) {
	type sentinel struct{ _ *int }
	runtime.AddCleanup(new(sentinel), func(f func()) {
		f()
		afterEachGC(f)
	}, f)
}
