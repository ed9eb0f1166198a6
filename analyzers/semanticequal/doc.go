// Package semanticequal finds comparisons of API objects that tell equal ones apart, or miss what was removed.
//
// Many reconcilers compare what they want with what there is, and write if the two
// differ. If the comparison finds a difference where there is none, each round
// writes the same object again, which often starts the next round. If
// it misses one, the object is never updated.
//
// # quantity
//
// reflect.DeepEqual compares how a quantity is represented: 1 and 1000m differ, and
// so does one that was printed before from one that was not. It tells a nil
// list from an empty one, too:
//
//	if !reflect.DeepEqual(found.Spec.Template.Spec, want.Spec.Template.Spec) {
//		return r.Update(ctx, want) // each time
//	}
//
// Compare by meaning, with equality.Semantic.DeepEqual. Where the API server fills
// in defaults, compare only what the operator sets, or apply it on the server.
//
// Reported is a comparison of something that was read with something that was built,
// if a write may depend on it that sends what it is given (CreateOrUpdate, CreateOrPatch and
// the patch helper of cluster-api compare once more, by meaning), and the program is seen to put a quantity into what it builds:
// a computed one, one that it parses, or the resources that a user writes into a spec. That a
// type could have one is for strict. Printed by default are resources compared by themselves, and
// objects for which the program adds or subtracts quantities; others differ anyhow by
// what the API server fills in, and are hygiene. Where what was compared is computed anew before it is
// written, the write does not count. Quantities compared by == are reported too;
// pointers to them for strict, since that is a short cut as a rule.
//
// # time
//
// Two pointers to times are compared, which differ for two objects even if the times
// are the same:
//
//	return old.Status.StartTime != cur.Status.StartTime
//
// Use the method Equal, which takes nil. For the DeletionTimestamp, and where no write
// follows, the harm is hygiene. Times by value, which differ in their zone or in what the API drops, are
// reported by strict.
//
// # nil-empty
//
// A map or list that is made empty is compared with that of an object, which is nil
// if it is empty, since the API leaves it out:
//
//	data := make(map[string]string) // and nothing to put into it
//	if !reflect.DeepEqual(found.Data, data) {
//
// Use equality.Semantic.DeepEqual, or compare the lengths first. What the map is filled with
// has to come from objects or callers, of which there may be none: else it is for strict. A
// field whose JSON tag has no omitempty keeps its empty list, and is not reported. It is
// hygiene: of three found in operators none was wanted, since something is in the list in practice.
//
// # other-type
//
// A value is compared with a pointer, often to a copy made before. Values of two types
// are never equal:
//
//	before := obj.Status.DeepCopy()
//	…
//	if !equality.Semantic.DeepEqual(before, obj.Status) { // &obj.Status
//
// Where no write follows, neither in the function nor in one that asks it, that is
// hygiene: what the comparison guards may be right without it. So it is where nothing would be
// written less often if the types were the same:
//   - in a branch that has just changed what was found to be different, and where a deferred function
//     sets another state than the one that the function has begun with;
//   - if the answer changes nothing, or all that is written after it asks again: by a
//     comparison of values of one type, or for what was gathered of what differs;
//   - after something was created, here or on each way here, which is once;
//   - if one side has the time of the round in it;
//   - if a function that is handed in has changed one side: who calls knows whether it does;
//   - between a whole object that was read and one that was built, which has no UID.
//
// # derivative
//
// equality.Semantic.DeepDerivative passes over all that its first argument leaves
// out: nil pointers, empty strings, lists and maps, the ends of lists. What a user removes from
// the desired state, a variable, a volume, the number of replicas, is never
// removed from the object:
//
//	if !equality.Semantic.DeepDerivative(want.Spec, found.Spec) {
//		return r.Update(ctx, want)
//	}
//
// What is never removed harms nobody: the desired state has to be seen to depend on a user's
// spec, a configuration or what the function is given. One that is written out as constants
// is for strict. Labels and annotations, to which others may add, have to have what the operator sets
// and no more: these are for strict.
//
// Printed by default are the specs of pods, and of workloads with the templates of such, if what pods are made
// of, or how many there are, is taken from a field of an object or of settings: resources, tolerations,
// a selector of nodes, volumes, replicas. Of other kinds little can be removed, or it
// may not be changed at all; the data of Secrets have their defaults; and what a reconciler has itself is the
// same as long as it runs. These are hygiene.
//
// Compare the parts that the operator sets with DeepEqual, keep a hash of the desired
// state in an annotation, or apply it on the server.
//
// # Limits
//
// Objects are followed through functions of the package; of another package, a function
// without context and client is taken to build what it returns. Where the length of
// what is compared, or of each list and map in it, is compared as well, or nil is
// looked for, derivative is silent.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:semanticequal // reason. Please report it, too.
package semanticequal
