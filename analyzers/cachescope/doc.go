// Package cachescope finds caches that keep all objects of the cluster where the program needs a few.
//
// The client of a controller-runtime manager reads from a cache. Whatever is read through it, be it one ConfigMap by
// its name, makes the manager list and watch that kind, and unless the cache is limited it keeps every object of the kind,
// of all namespaces, as a Go struct. So does each watch. In a test cluster that is a few kilobytes. In production a
// cluster has tens of thousands of Secrets, among them those of all Helm releases, ConfigMaps of a megabyte that any
// user may create, and Pods without number: the operator is killed for its memory (OOMKilled) a few seconds after it
// has started, and again and again, because the list is as long each time. What it keeps, such as all Secrets of the
// cluster, is also in every core dump. And its role must let it list and watch the kind everywhere.
//
// Bad:
//
//	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
//	…
//	err := r.Get(ctx, types.NamespacedName{Namespace: ns, Name: "ca"}, &secret) // keeps all Secrets
//
// Good: read the few that are needed past the cache, or limit what it keeps.
//
//	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
//		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
//			&corev1.ConfigMap{}: {Label: labels.SelectorFromSet(labels.Set{"app.kubernetes.io/managed-by": "backup"})},
//		}},
//		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
//	})
//	…
//	err := r.APIReader.Get(ctx, key, &pod) // mgr.GetAPIReader()
//
// Only the whole program can tell what a cache holds, so findings are where the manager is made, one for each kind (one for
// all that are only read: one option mends them), with some of the places that read or watch it in the message. They are about Secrets, ConfigMaps, Pods and Events, of which
// clusters have many, and Nodes, which are hygiene, since most operators that ask for one need many; about other kinds with the
// strict flag only. What no process of the module comes to read is hygiene as well. Clients are followed from the manager through fields,
// variables, parameters and results in all packages of the module. A client that may be another one as well (of
// client.New, of another cluster, mgr.GetAPIReader(), a wrapper with a Get of its own) counts as uncached. Nothing is reported
// if the options of the manager are not all visible, if namespaces limit the cache, or if selectors, or transform functions
// that drop content, are set for the kind or for all. A namespace in a variable counts as one, but a program that goes
// without where none is configured can watch all of them, and the findings say so:
//
//	if namespace != "" {
//		options.Cache.DefaultNamespaces = map[string]cache.Config{namespace: {}}
//	}
//
// A read or a watch counts only if it may be reached: one that wants a field of a struct to be set, which nothing in the
// program sets, does not.
//
// Both generations of options are known: ByObject, DefaultNamespaces, DisableFor, and Namespace, SelectorsByObject,
// MultiNamespacedCacheBuilder, ClientDisableCacheFor and delegating clients.
//
// The categories cover these of the ten anti-patterns that Red Hat describes in "5 anti-patterns that cause Kubernetes
// operator vulnerabilities" and "Protect your Kubernetes Operator from OOMKill": predicate-filter is AP-1,
// disabled-and-watched AP-2, hidden-informer AP-3, two-caches AP-5, empty-entry AP-6. AP-4, no DefaultNamespaces, is no
// mistake by itself: it is a condition of all of them, and unscoped-cache is what becomes of it. Out of scope are AP-7 and
// AP-9 (objects made or updated without the labels that the cache selects by), AP-8 (objects of earlier versions without
// these labels), and AP-10 (managed fields are kept).
//
// # hidden-informer
//
// A kind is read by name, by namespace or by labels, and nothing in the program watches it: the first read starts an
// informer for all of the cluster, and waits for it.
//
// Read it through mgr.GetAPIReader(), or list the kind in DisableFor, if it is read now and then; limit it in ByObject if
// it is read in every reconciliation, with a selector that lets all pass that anybody reads by that client: what it leaves
// out is NotFound. ReaderFailOnMissingInformer makes such reads fail. A kind of which the
// program also lists all objects is reported with the strict flag only, since that may be what the cache is for; so are kinds
// that are less numerous. Who registers an index for a kind, or asks for its informer, means to cache it.
//
// # predicate-filter
//
// A predicate picks the objects of a watch by their name, namespace or labels. It does so after they have been taken into
// the cache: all of the others stay there.
//
//	Watches(&corev1.ConfigMap{}, h, builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
//		return o.GetNamespace() == namespace && o.GetName() == "settings" // bad: caches all ConfigMaps
//	})))
//
// A selector in ByObject does that at the API server: Namespaces, Field (metadata.name) or Label. What is read besides by the same
// client must be let pass as well, or read by mgr.GetAPIReader(): what the selector leaves out is NotFound. Predicates that let
// anything else pass are left alone: prefixes of names, several names, other conditions; and so are kinds of which
// another watch wants all. A watch that is set up only if a field of an options struct is true does not count in a program
// of which nothing sets that field.
//
// # disabled-and-watched
//
// DisableFor sends the reads of a kind to the API server. A watch of the kind, by Owns or Watches, keeps all of it in memory
// nevertheless, and nothing reads it from there. If the events are all that is wanted, builder.OnlyMetadata keeps a
// fraction of it; a selector in ByObject limits it. For kinds that are less numerous, fresh reads are a good reason, and it is
// reported with the strict flag only.
// A client that skips the cache on some of the paths to the manager only is for strict: on the others nothing may be watched.
//
// # two-caches
//
// A kind is used in two forms: typed and as metadata (builder.OnlyMetadata, PartialObjectMetadata), or typed and
// unstructured. Each form has an informer of its own, so that everything is kept twice:
//
//	Owns(&corev1.Secret{}, builder.OnlyMetadata) // saves nothing
//	…
//	r.Get(ctx, key, &corev1.Secret{}) // bad: starts the informer that keeps all
//
// Unstructured objects are not read from the cache, unless CacheOptions.Unstructured is set.
//
// # empty-entry
//
// An entry of ByObject without namespaces and selectors limits nothing, unless there are defaults that it takes on. Write
// labels.Everything() where all are meant.
//
// # unscoped-cache
//
// The controllers own Secrets or ConfigMaps (Owns, or a watch that enqueues the owners), and the manager's cache is not
// limited: for the few that they have made, all of the cluster are kept. They can be labelled, those that are there already first, and the label be a selector in ByObject (beware that the cache no longer
// has the others: read those through mgr.GetAPIReader()), or ByObject can have the namespaces that they are in, or the watch can do with
// metadata, if nothing reads or indexes the objects in the cache. Other watches of numerous
// kinds, which may well need all, are reported with the strict flag only. Before controller-runtime 0.9 no
// option limits what a watch keeps, and this is hygiene (of 9 judged, maintainers wanted 2).
//
// # Limits
//
// Informer factories of client-go and caches of several clusters are not looked into. Which client is used is decided by
// the field or variable that it is kept in, not by the path that is taken. A kind that only another module's code watches is
// not known. Of Kubernetes' own kinds, one that no role of the project lets list and watch is left to rbac: its informer
// keeps nothing. Where a bundle of the project says that OLM does not install it for all namespaces, and no ClusterRole
// lets it watch there, it is given some.
//
// # Options
//
// -strict reports doubtful variants, too: other kinds, lists of all objects, watches that may need all, and namespaces in
// variables that may be empty. -tests and
// -generated report findings in _test.go files and in generated files. To silence a finding, write //nolint:cachescope or
// //lint:ignore cachescope reason on its line or on the line above.
package cachescope
