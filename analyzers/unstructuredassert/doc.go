// Package unstructuredassert finds assertions on the content of unstructured
// objects that panic on the first object which looks different.
//
// The content of an unstructured.Unstructured is what the API server has sent:
// nested maps and slices of any. Fields that a schema does not require are
// missing, status is missing in every new object, and an assertion to a
// type without a check panics on nil. Operators do this where they deal with
// kinds of others, whose objects they have not seen in all their forms; one
// object then takes the operator down, again and again after each restart. In Reconcile,
// controller-runtime recovers the panic by default since v0.19, and net/http does in a webhook: the
// object's requests fail again and again, which is stuck instead of a crash.
//
// What the API guarantees (apiVersion, kind, the name), what a condition has
// established before, what the code itself has put there, and objects that are
// made in the code are left alone.
//
// # unchecked
//
// A field that need not be there is asserted without a check:
//
//	ready := u.Object["status"].(map[string]any)["ready"].(bool)
//
// unstructured.NestedBool and its kin tell what is missing, and what is of
// another type:
//
//	ready, found, err := unstructured.NestedBool(u.Object, "status", "ready")
//
// Only strict reports the assertion of spec as a whole, which the schemas of
// most kinds require. A field of the spec is hygiene: what a program takes for granted there
// the schema requires as a rule, or another controller fills in.
//
// All such assertions on one object in a function are one finding.
//
// # number
//
// Numbers in the content are int64 or float64, whatever the type of the field
// is in Go. An assertion to int or int32 never holds: the value is never seen (a
// loss), or it panics where the assertion is unchecked:
//
//	replicas, ok := u.Object["spec"].(map[string]any)["replicas"].(int)
//
// # Limits
//
// Fields of one map that a function asserts unchecked are one finding.
// Writes to what unstructured.NestedFieldNoCopy returns of a cached object are
// cachemutation's business. Elements of lists are taken to be of one type. What is kept in fields or
// returned by other packages is not followed.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:unstructuredassert // reason. Please
// report it, too.
package unstructuredassert
