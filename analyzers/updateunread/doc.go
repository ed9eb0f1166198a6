// Package updateunread finds updates of objects that were not read.
//
// An update replaces an object as a whole. So that nobody overwrites what others
// have written meanwhile, it carries the resourceVersion of the state that it was
// made from. An object that the code has just put together has none. Custom resources
// and some of Kubernetes' own kinds refuse such an update each time:
//
//	metadata.resourceVersion: Invalid value: 0x0: must be specified for an update
//
// which shows only when the object exists already: after the first reconcile, or
// after a restart.
//
// # no-resource-version
//
// A new object is sent as an update, mostly after its creation has failed because
// it exists:
//
//	backup := newBackup(schedule)
//	err := r.Create(ctx, backup)
//	if apierrors.IsAlreadyExists(err) {
//		err = r.Update(ctx, backup)
//	}
//
// What a function creates if there is none is a new object, too, whoever has put it
// together: sent as an update where there is one, it has no resourceVersion.
//
//	err := c.Get(ctx, client.ObjectKeyFromObject(desired), existing)
//	if apierrors.IsNotFound(err) {
//		return c.Create(ctx, desired)
//	}
//	return c.Update(ctx, desired) // not existing
//
// The same goes for what a typed client returned when the creation failed, which is an
// empty object, and for what such a client was given: it returns another object, and
// leaves that one as it was.
//
// And for what loses its version again in the function that CreateOrUpdate is given:
// obj.SetResourceVersion("").
//
// Read the object and change what was read, which controllerutil.CreateOrUpdate
// does, give the new one the resourceVersion of what was read, or use server-side
// apply.
//
// Most of Kubernetes' own kinds allow it, and replace all that others have
// written: finalizers, owners, what controllers have filled in. That is often meant,
// and so it is hygiene, unless the strict flag is set. Those that refuse it are
// CustomResourceDefinition, APIService, Lease, PodDisruptionBudget, the webhook
// configurations, admission policies, CSIDriver, VolumeAttachment, RuntimeClass and the
// kinds of API priority and fairness.
//
// Printed by default is an update of an object whose kind is known where it is sent. Hygiene, since hardly
// one of them was a mistake in real operators, are functions for objects of any kind, typed or
// unstructured, updates of the status alone, which mostly follow on a creation that goes well,
// and alpha and beta versions of Kubernetes' own kinds, which API servers do not serve by default. An
// update whose failure is answered by reading and updating again, there or in a function that is
// called then, is left alone.
//
// # Limits
//
// Objects that functions of other packages make and that are not created next to the
// update, and those that get out of sight before it, are taken to have been read. So is,
// but with the strict flag, what was handed to a function of the module whose body, or that
// of one which it calls, cannot be read to its end: it may take the version over.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:updateunread // reason. Please report
// it, too.
package updateunread
