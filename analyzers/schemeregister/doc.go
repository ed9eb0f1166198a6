// Package schemeregister finds types that are not in the scheme as the program
// believes.
//
// A scheme tells clients, caches and webhooks which Go type stands for which kind
// of the API. What is wrong with it shows late: the program starts, and the first
// read, write or watch of a kind fails with "no kind is registered for the type", or
// an object comes back with half of its fields empty.
//
// # error-ignored
//
// The error of AddToScheme, or of a function with its signature, is not read: the
// call stands alone, its error goes to the blank identifier, or is overwritten before
// anybody asks.
//
//	func init() {
//		_ = appsv1.AddToScheme(scheme) // bad
//		utilruntime.Must(batchv1.AddToScheme(scheme)) // good
//	}
//
// It is hygiene: the same registrations fail each time that the program starts, or never. A function that does more than
// register types, such as reading a file, may fail now and then: then it is loss. The calls of one function are one finding.
//
// Conversions, defaults, field labels and priorities of versions that a scheme
// refuses count as well: SetVersionPriority, AddConversionFunc,
// AddFieldLabelConversionFunc.
//
// The fix panics in init, in main, and in functions that only set up a scheme, and
// returns the error from functions that return nothing else. Not reported are functions of
// the package that never fail, generated clientsets (but see the flag generated), and
// packages and functions that are there for tests. A comment that silences errcheck
// on the line, //nolint:errcheck, is honoured.
//
// # other-version
//
// A type of one version's package is registered under another version of its group:
// by Register of a scheme.Builder, AddKnownTypes or AddKnownTypeWithName.
//
//	package v1beta1
//
//	func init() {
//		SchemeBuilder.Register(&v1.Backup{}, &v1.BackupList{}) // bad: v1beta1.Backup is meant
//	}
//
// Objects of the one version are decoded into the struct of the other, without what only they have; conversion
// webhooks copy them wrongly; and if a scheme has both versions, clients do not know which
// kind the type is ("multiple group-version-kinds associated with type").
//
// Versions are told by their packages, which lie beside each other: apis/v1 and apis/v1beta1.
// Types of other groups (Scale, Eviction, metav1.Status) are registered on purpose, and so
// are those that the version declares as its own by an alias.
//
// # in-use
//
// A reconciler, handler or webhook registers types in a scheme that outlives the call: a
// global one, that of a client or manager, a field of the reconciler. Schemes have no lock, since they are
// not expected to change once they are in use. A client that looks up a kind at the same time crashes the process with
// "concurrent map read and map write".
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		if err := monitoringv1.AddToScheme(r.Client.Scheme()); err != nil { // bad: belongs into main
//			return ctrl.Result{}, err
//		}
//
// A new scheme, a sync.Once, and a question before (Recognizes, a flag) are right, or
// cannot be told from it.
package schemeregister
