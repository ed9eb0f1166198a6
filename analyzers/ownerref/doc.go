// Package ownerref finds owner references that do not do what they are for.
//
// An owner reference has Kubernetes delete an object together with its owner,
// and a controller hear of what happens to the object. It names the owner by
// kind, name and UID, without a namespace: the owner of a namespaced object is
// looked for in the object's own namespace, or among the cluster-scoped ones.
// See https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents.
//
// controllerutil's SetControllerReference and SetOwnerReference return an
// error where that cannot work. References made by hand are stored by the API
// server as they are.
//
// The analyzer follows references through helpers in this and other packages of
// the module: functions that make a reference or metadata of an owner, or that
// set it on what they get. The scope of a kind is told by its kubebuilder
// markers, or is that of the built-in kind; where it is not known, nothing is
// reported.
//
// # cross-namespace
//
// Owner and object are, or can be, in different namespaces:
//
//	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: certManagerNamespace}}
//	controllerutil.SetControllerReference(cluster, secret, scheme) // always an error
//
// A reference made by hand is worse: the garbage collector finds no such owner
// in the object's namespace and deletes the object. Put it next to its
// owner, or mark it with a label and delete it in a finalizer. The
// analyzer reports objects that go into every namespace, and owners or objects
// whose namespace a user names in the spec of the other one. With the strict flag
// it reports an object in a fixed or configured namespace, too, whose owner is one
// of the module's own kinds, whose namespace the package uses elsewhere: such
// owners are often kept in that one namespace, by a webhook or because only the
// operator makes them, which no package shows. A function that compares
// namespaces is taken to know what it does.
//
// # namespaced-owner
//
// An object without a namespace cannot be owned by one in a namespace:
//
//	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
//	controllerutil.SetControllerReference(backup, role, scheme) // always an error
//
// By hand it is stored, and the garbage collector never deletes it. Delete the
// object in a finalizer of the owner, or make it a namespaced kind. Where the package
// deletes objects of the kind itself, or the module is seen to put a finalizer on the owner, the reference is to no avail,
// and the finding hygiene.
// References to one kind of owner are one finding: its finalizer deletes all that they are on.
//
// # not-controller
//
// SetOwnerReference is used for a kind that the same package's controller
// Owns:
//
//	controllerutil.SetOwnerReference(backup, job, scheme)
//	…
//	ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&batchv1.Job{})
//
// Owns reacts to the one owner that is the object's controller; here there is
// none, and no event of the Job ever arrives. The same goes for a watch with
// handler.EnqueueRequestForOwner and OnlyControllerOwner (once IsController). Use
// SetControllerReference, or, where several owners share the object,
// Owns(&batchv1.Job{}, builder.MatchEveryOwner). All such references of one controller are
// one finding, at the first, with the others and the calls of Owns as related places. A
// comment that silences it there silences them all, one at a call of Owns those of its kind.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:ownerref // reason. Please report it,
// too.
package ownerref
