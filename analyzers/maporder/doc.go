// Package maporder finds lists, strings and hashes that are built in a map's order and written into objects.
//
// Go goes through a map in another order each time. A list of environment
// variables, a configuration file or a hash that is built that way differs from
// round to round although nothing has changed: the object is written again, the
// pods of a workload are replaced one after the other, and then again.
//
// # into-object
//
// What a loop over a map appends, concatenates or prints goes into a field of an API
// object or an apply configuration, directly or through functions of the package:
//
//	for name, value := range env {
//		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: value})
//	}
//
// Go through the sorted keys, or sort the list afterwards:
//
//	for _, name := range slices.Sorted(maps.Keys(env)) {
//
// Printed by default is an order that certainly leads to something: what contains it is compared,
// element by element (reflect.DeepEqual, equality.Semantic, cmp, slices.Equal, as text, by a
// hash, or by CreateOrUpdate), or applied, or it is written, whatever is stored, over an object that
// the controller owns, and hears each change of. An object that one package puts together and another
// one writes or compares is told in the latter.
//
// All else is hygiene, since of judged findings in real operators most of these were not worth a change:
//
//   - what is merely written, a status included: mostly there is a time in it, or a duration, and it
//     is another one anyhow (which selftrigger tells); so is one that is compared with such a time
//     in it, and conditions that are made with the time of the moment each time
//   - texts of a status, and lists of errors, entries with a message, which are for people
//   - what runs only where something has been found to have changed, such as the spec or the generation
//     that was worked on last, since the object is written then in any case
//   - what is done in one phase of an object, and leads to the next
//   - lists of what has failed, which differ only as long as two or more fail
//   - owner references, each of which is added once
//
// # into-hash
//
// The entries are written into a hash, or what is built of them is hashed. The hash
// stands for a state that has changed, and usually restarts pods:
//
//	for key, value := range settings {
//		h.Write([]byte(key + value))
//	}
//
// A hash of which nobody takes the sum is hygiene: two hashes that are compared by == are two
// objects, which differ whatever was written into them.
//
// # Limits
//
// A list counts as sorted if a function that it goes through, or one that calls
// that, sorts lists of its type. Loops that end with the first entries, lists that are
// only stored or filled where there is none, functions that say as well whether
// anything has changed, and lists of objects are left alone, and so are texts and hashes that
// another module builds, and lists of structs where the package, or one that it imports, has a
// function that compares two such lists: it knows what order is worth. encoding/json and fmt print maps in the order of their keys.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:maporder // reason. Please report it, too.
package maporder
