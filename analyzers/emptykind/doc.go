// Package emptykind finds kinds and versions read from typed objects that come without them.
//
// Typed clients take kind and apiVersion off what they decode, by convention: who
// asks for a Deployment knows that it is one. The elements of lists never had
// them, and so the objects of informers and listers do not either. A program that
// reads them all the same gets empty strings, without any error: the API
// server rejects an owner reference made of them, an event or a status refers to
// nothing, a comparison never holds.
//
// # lost-gvk
//
// The Kind, APIVersion or GroupVersionKind() of a typed object that a clientset or
// lister returned goes into an owner reference, into another object, or is
// compared with a name:
//
//	dep, err := clientset.AppsV1().Deployments(ns).Get(ctx, name, metav1.GetOptions{})
//	…
//	owner := metav1.OwnerReference{APIVersion: dep.APIVersion, Kind: dep.Kind, Name: dep.Name, UID: dep.UID}
//
// Name the kind, or ask the scheme:
//
//	owner := metav1.NewControllerRef(dep, appsv1.SchemeGroupVersion.WithKind("Deployment"))
//	gvk, err := apiutil.GVKForObject(dep, scheme)
//
// # Limits
//
// The cache of controller-runtime sets kind and version in what it hands out (in
// all versions since v0.2), and its client keeps them through Update and Patch: what
// it reads is left alone. Its live reads leave them empty too: those of a client that
// the package surely has from client.New, and of a manager's APIReader. The elements of a list of
// custom resources have theirs, as the API server stores them.
// Objects that another package returns, or that are kept in fields, are not
// followed. Kinds that are only printed, or compared with another kind's name, are hygiene, and so are versions in an ObjectReference
// that has the kind, name and UID of an object of Kubernetes' own, and the kinds of the Secrets that a
// service account lists, which nothing reads; what goes out of sight, or into a field that another
// project lets users leave out, and may have a default for, is reported by strict alone, as
// hygiene too.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:emptykind // reason. Please report it, too.
package emptykind
