package kubeapi

import "go/types"

// clocks are functions that tell the time, randoms those that return a random value, and
// timeKeepers those whose result is their first operand in another form.
var (
	clocks  = newNameTable("time.Now", metav1Path+".Now", metav1Path+".NowMicro")
	randoms = newNameTable("github.com/google/uuid.New", "github.com/google/uuid.NewString", "k8s.io/apimachinery/pkg/util/uuid.NewUUID",
		"k8s.io/apimachinery/pkg/util/rand.*", "math/rand.*", "math/rand/v2.*")
	timeKeepers = newNameTable(metav1Path+".NewTime", metav1Path+".NewMicroTime", "(time.Time).Format", "(time.Time).String", "(time.Time).UTC",
		"(time.Time).Local", "(time.Time).Unix", "(time.Time).UnixNano", "(time.Time).UnixMilli", "(time.Time).Round", "(*"+metav1Path+".Time).Rfc3339Copy",
		"("+metav1Path+".Time).Rfc3339Copy", "("+metav1Path+".Time).String", "k8s.io/utils/ptr.To", "k8s.io/utils/pointer.To")
)

// TellsTime reports whether fn returns the current time.
func TellsTime(fn *types.Func) bool { return clocks.match(fn) }

// IsRandom reports whether fn returns something random.
func IsRandom(fn *types.Func) bool { return randoms.match(fn) }

// KeepsTime reports whether the result of fn is its first operand, a time, in another form.
func KeepsTime(fn *types.Func) bool { return timeKeepers.match(fn) }
