// Package eventfilter finds event filters that drop what Reconcile waits for.
//
// Whether Reconcile runs stands in the set-up code: an event has to pass the
// predicates of its watch and those of WithEventFilter, which hold for all watches.
// What Reconcile needs to be told stands somewhere else. Where the two do not agree,
// nothing fails: a rotated password is used until the operator is restarted, an
// object waits for a Deployment that has long been ready, an annotation that was
// taken off is still obeyed.
//
// The analyzer reads both. It knows the predicates of controller-runtime, And, Or and
// Not, predicate.Funcs and own types whose bodies it can read, also in other packages
// of the module; and what Reconcile and the functions that it calls test, write and
// create. A predicate that it cannot read counts as one that lets everything pass.
//
// # no-generation
//
// GenerationChangedPredicate lets updates pass that change metadata.generation. The API
// server raises that for custom resources and workloads, but never for a ConfigMap,
// Secret, ServiceAccount, Service, Namespace, Node, Role and other kinds without a
// desired and an actual state: each update of them is dropped.
//
//	ctrl.NewControllerManagedBy(mgr).
//		For(&v1.Database{}).
//		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.users)).
//		WithEventFilter(predicate.GenerationChangedPredicate{}) // drops all updates of Secrets
//
// Filter the kind that it is meant for:
//
//	ctrl.NewControllerManagedBy(mgr).
//		For(&v1.Database{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
//		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.users))
//
// For kinds that the controller only owns and never writes again, the finding is
// hygiene: nobody would put right what others have changed. So it is for kinds that it only
// watches and is not known to read: the watch may be left over.
//
// # status-dropped
//
// Reconcile tests the status of a Deployment, a Job or another custom resource, but the
// filter drops updates that change the status only:
//
//	Owns(&appsv1.Deployment{}).
//	WithEventFilter(predicate.GenerationChangedPredicate{}) // "ready" is never seen
//
// Put the filter on For, or let changes of that status pass. A Reconcile that asks to
// be called again, with RequeueAfter or Requeue, or by a Result that a function of another
// module makes, may be polling; it is reported with the strict flag only. What runs later,
// in a goroutine or as a scheduler's job, is no test of Reconcile's. Nor is a filter that drops all updates reported.
//
// # metadata-dropped
//
// Reconcile tests a label or an annotation of the kind that it is for, and changes of that
// do not pass the filter. Taking off a "paused" annotation wakes nobody:
//
//	For(&v1.Database{}, builder.WithPredicates(predicate.GenerationChangedPredicate{}))
//
// Let them pass, too:
//
//	For(&v1.Database{}, builder.WithPredicates(predicate.Or(
//		predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{})))
//
// Labels and annotations that Reconcile sets itself are not reported. Those of kinds that
// another module declares, such as pods, are reported with the strict flag only: they often
// tell what an object is, and are there from the beginning. All of this is hygiene: of four such
// findings in operators three were true, and none was wanted, since what was tested was set at the object's creation, was the
// reconciler's note to itself, or made a difference at the next reconcile only.
//
// # deletion-dropped
//
// An update that sets the deletion timestamp of an object with the controller's finalizer
// does not pass, for example since the filter compares the specs: the object hangs in
// Terminating. (GenerationChangedPredicate lets it pass where there is a generation: the API
// server raises it.) Or a filter of all watches drops deletions, which was
// meant for the reconciled kind, so that a child which somebody has deleted is not
// created again. That is hygiene: Reconcile is woken by other events, too, and makes what is not there (neither of two
// such findings at first contact was wanted).
//
// # Limits
//
// Watches of controllers that are put together by hand or by other frameworks, kinds
// that are not known where they are watched, and what Reconcile does through
// interfaces with several implementations are not seen.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:eventfilter // reason. Please report
// it, too.
package eventfilter
