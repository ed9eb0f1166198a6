// Package rbac finds permissions that the program's calls need and its roles do not grant.
//
// The role of an operator is kept by hand: in +kubebuilder:rbac markers, from which controller-gen makes a ClusterRole. The
// code moves on, the markers stay behind, and nothing tells before the cluster does: in tests everything is allowed. In production
// the new call fails with "is forbidden" in each reconciliation; and where the call is a read through the manager's client, or a watch,
// there is not even that error. The informer may not list the kind, so its cache is never filled, and the read, or the start of the
// controller, waits forever.
//
// Bad:
//
//	// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		…
//		err := r.Update(ctx, &secret) // forbidden: no role grants update
//
// Good:
//
//	// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;update
//
// The whole program decides: which objects get to a helper, and which client reads from a cache, is followed through all packages of
// the module. opvet reports the call; the other drivers report the main package, with the place in the message. opvet rbac prints all
// that a program needs.
//
// What is granted is read from the markers of all packages of the project, and besides from the roles in its manifests (Roles,
// ClusterRoles, ClusterServiceVersions, also in templates of Helm charts): what any of them grants is not missing. Without markers, and without
// the flag roles, nothing is reported. Where a manifest hands a container a kubeconfig, as an argument --kubeconfig, nothing is missing:
// the roles do not say what its user may do.
//
// # missing-resource
//
// Nothing is granted on the resource: a kind was added to the code, and no marker for it. The fix adds one.
//
// A Role in one namespace does not grant what the cache of a manager for all namespaces needs: the message asks for a ClusterRole then.
//
// # missing-verb
//
// Some verbs are granted, and one that the program needs is not: mostly update, patch or delete, or, for what is read through the manager's
// client, list and watch. The fix adds it to the marker. An informer that may list and not watch has its objects, as of the last list, and
// lists them all again each time that its watch is refused. A verb that the API server does not serve, such as the watch of metrics, no
// role could grant.
//
// CreateOrUpdate and CreateOrPatch need create as well, but for an object that has been read with success on all ways there, or is an
// element of a list that was read: it exists. Where nothing else needs what they lack, the finding is hygiene: they run in each
// reconciliation, and whoever gave the role the other verbs has seen them pass (none of nine findings at first contact was right,
// since the object was always there, or a role of the platform gave the rest).
//
// # missing-subresource
//
// The status, the scale, the log or another subresource is a resource of its own to RBAC: update of backups does not allow
// update of backups/status, and pods/exec is none of pods. Tokens of service accounts and forwarded ports are hygiene: users allow an
// operator the first for the one account that they name, and the second is for people (both judged findings were wrong).
//
// # inert-marker
//
// controller-gen takes the markers that stand free between declarations, and those before the package clause. What is in the
// documentation of a function, of a type or of a field, or in the body of a function, it skips without a word:
//
//	// Reconcile makes it so.
//	// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch
//	func (r *Reconciler) Reconcile(…) // bad: the marker is a part of the documentation
//
// An empty line between the marker and the declaration mends it. This is what controller-gen v0.23 does. The harm
// is hygiene unless the program is seen to need what nothing else grants. The markers of one comment are one finding.
//
// # misspelling
//
// A marker names a resource that Kubernetes does not have in that group: persistentvolumerclaims, pod, or deployments in the core group. Such a
// grant is valid, and grants nothing. What the program needs and does not get is reported besides. Only the groups of Kubernetes' own that
// have never lost a resource are looked at.
//
// # wildcard
//
// A marker grants * where a few verbs or resources would do: whoever gets the token of the operator has them all.
//
// # unused
//
// A marker grants a resource that no call of the program uses. Where the kind of some call is not known, it must be one of which the program
// has no objects, either. Programs that have objects in unstructured form besides, that give a client to another library, that make roles
// of which it is not known what they grant (they must hold that themselves), or that are not the only one of the project, are left alone.
//
// # cluster-wide
//
// A marker lets the program read a resource in all namespaces, and its only reader is a cache that is limited to some, whatever the
// configuration. A marker with namespace= makes a Role of it:
//
//	// +kubebuilder:rbac:groups="",namespace=system,resources=secrets,verbs=get;list;watch
//
// A namespace that may be empty, as one from a flag or the environment, stands for all of them.
//
// # Limits
//
// Where nothing is granted of most of what a program needs, six resources at least, its roles are not those of the project that are seen, and all of it is hygiene. So it is where no manifest of the project binds a role: it is installed from elsewhere.
// So is all of it where bindings refer to two roles or more that no manifest has, but for those that come with Kubernetes and grant what is known, such as admin, view and system:auth-delegator.
// A recorder of events that nothing records with asks for nothing, nor do literals in a table of the package: which of them runs, the program says.
//
// A kind of another repository that nothing of the program registers in a scheme needs nothing: the client refuses it before it asks.
//
// A program is what runs a manager, or has informers or a leader of its own; tools for people have their own rights. What only a flag of the command line switches on, such as a controller that is set up where --role has another value than its default, counts if a manifest of the project gives the flag, not in a comment; leader election that a file or the environment may switch on is left alone, unless that is the default. Kinds that are chosen
// at run time are not known. Functions that no part of the program mentions need nothing, nor, where the whole module is seen, do those that only commands which end by themselves run: people run those. Clients of other clusters, or in the name of other
// users, are used with other permissions: a program that makes one has only those of its calls looked at that certainly go through its
// manager's client; one with several managers, none. Where a client comes in as a parameter, and not all callers are seen to hand over the manager's, or
// from a method of the project's own that gives one for a key, the finding is hygiene, without a fix. So is what a helper changes or deletes
// that is handed objects of several kinds, since some of them it may never change: of eleven such findings in operators none was wanted. And so is a call of which it is not known for which of several kinds it runs. So is what a program asks for in one namespace if it makes OpenShift projects by
// ProjectRequests: it is the admin of those, and OLM and others aggregate to that role what no manifest of the project has. Owner references that block deletion need update of the owner's finalizers on some
// clusters (OwnerReferencesPermissionEnforcement), and who makes roles must hold what these grant, or may escalate and bind: opvet rbac
// prints both, and this rule reports neither.
//
// # Options
//
// -roles names YAML files, such as config/rbac/*.yaml, that have all that is granted; markers do not count then. -tests and
// -generated report findings in _test.go files and in generated files. To silence a finding, write //nolint:rbac or
// //lint:ignore rbac reason on its line or on the line above.
package rbac
