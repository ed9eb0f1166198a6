// Package webhookdelete finds webhooks that refuse the update which takes a finalizer off.
//
// An object with a finalizer is deleted in two steps: the API server sets its
// deletionTimestamp, and removes it when an update has taken the last finalizer off.
// That update goes through the webhooks like any other. One that refuses it keeps
// the object, its namespace and all that it owns forever, and the users cannot
// mend it: mostly what the webhook looks for is gone already, since both
// objects are being deleted. The garbage collector's own finalizers
// (foregroundDeletion) are removed by updates as well.
//
// # blocks-finalizer
//
// ValidateUpdate, a defaulter, or a handler of bare requests reads another object and fails if that
// is gone, also while its own object is being deleted:
//
//	func (v *validator) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
//		if err := v.client.Get(ctx, secretOf(obj), &corev1.Secret{}); err != nil {
//			return nil, err
//		}
//
// Admit what is being deleted first, or look for the other object only if the field
// that names it has changed:
//
//	if !obj.GetDeletionTimestamp().IsZero() {
//		return nil, nil
//	}
//
// It is the same for a ValidateUpdate that refuses each update, since nothing of a kind should
// be changed. Compare the specs, and let all else through.
//
// A check of the object alone, which one that was valid passes again, is hygiene: an object that is
// older than the check, or was made while the webhook was not there, fails it when its finalizer is
// to come off.
//
// # Limits
//
// Functions of other packages of the module that fail if an object is gone are known, too;
// the finding names the place.
// Webhooks for kinds of Kubernetes itself, and those whose markers
// name no updates, are left alone. So is what reads a kind that another webhook of the package
// may keep from being deleted, or the kind that the webhook itself is for; what is read only where a
// part of the object differs from the old one (not what is read after changes were refused), or where the function is called with a flag or a mode
// that it does not get for updates; and what has the same name and namespace whatever the object: that
// belongs to the operator's installation.
//
// The finding is hygiene, which is not printed by default, unless the webhook is seen to be for
// one kind of the module, and a +kubebuilder:webhook marker in the package or a manifest of the project
// (configurations of webhooks, bundles, templates) registers one for updates of that kind,
// or the handler asks whether the operation is an update. A handler that stands in a map of functions
// has to ask: which operation it is for is up to whoever takes it from there. Where a match condition
// in the configuration, or in a patch of it, keeps the requests of a service account from the webhook,
// these are taken to be the operator's.
//
// Who has the whole module, the opvet command, asks whether something in it, or in a module of the
// repository that requires it, is seen to put a finalizer on objects of the kind. If nothing is, the
// finding is hygiene: what is left are the finalizers of the garbage collector and of users, and those
// that code for objects of any kind puts on them. All others take it that something does.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:webhookdelete // reason. Please report it, too.
package webhookdelete
