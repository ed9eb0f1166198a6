package driver

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is how much garbage may pile up before it is collected. While a
// program is small, the collector's usual rule (as much garbage as there is
// live memory) makes a short-lived process spend a third of its time on
// collections.
const headroom = 160 << 20

// relaxGC makes the collector wait for that much garbage, unless the user has
// set how it should behave. A process with more live memory than headroom
// behaves as by default.
func relaxGC() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	const minHeap = 4 << 20 // at which the runtime starts to collect with GOGC=100
	debug.SetGCPercent(headroom / minHeap * 100)
	afterEachGC(func() {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		if sample[0].Value.Kind() != metrics.KindUint64 {
			return
		}
		live := max(sample[0].Value.Uint64(), minHeap)
		debug.SetGCPercent(int(max(100, headroom*100/live)))
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
