package kubeapi

import "golang.org/x/tools/go/ssa"

// counts are the methods of time.Duration that tell it as a number of something else than
// nanoseconds.
var counts = newNameTable(
	"(time.Duration).Seconds", "(time.Duration).Minutes", "(time.Duration).Hours", "(time.Duration).Milliseconds", "(time.Duration).Microseconds",
)

// CountOf returns the name of the method by which a call tells a duration as a number of
// seconds and the like; it is empty for other calls.
func CountOf(common *ssa.CallCommon) string {
	if fn := Callee(common); counts.match(fn) {
		return fn.Name()
	}
	return ""
}
