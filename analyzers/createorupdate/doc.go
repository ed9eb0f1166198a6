// Package createorupdate finds what CreateOrUpdate overwrites before it is
// written.
//
// controllerutil.CreateOrUpdate and CreateOrPatch take an object and a function. They
// read the object of that name from the API server into the one that they are
// given, call the function, and write what has changed. Whatever was set in the
// object before the call is gone by then, if the object exists. The first reconcile
// creates it as it was meant; from then on nothing that was set before arrives any
// more: a new image, a new number of replicas, a changed configuration. There is no
// error, and tests that begin with an empty cluster pass.
//
// # noop-mutate
//
// The function changes nothing:
//
//	deployment := r.newDeployment(app)
//	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error { return nil })
//
// or puts another object into the variable. What is written is the one that the call was handed:
//
//	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
//		deployment = r.newDeployment(app)
//		return nil
//	})
//
// # set-outside
//
// The function sets something, such as the owner, but not what was set before:
//
//	config := &corev1.ConfigMap{ObjectMeta: meta, Data: data}
//	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
//		return controllerutil.SetControllerReference(app, config, r.Scheme)
//	})
//
// Give the object its name and namespace, and set all else in the function:
//
//	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace}}
//	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
//		config.Data = data
//		return controllerutil.SetControllerReference(app, config, r.Scheme)
//	})
//
// Counted as a loss is what comes from the spec of a custom resource, which its users change: of workloads, services,
// configurations, roles and the like, and, where the function does nothing at all, of custom resources. All else is
// hygiene: labels and annotations, names, what the program writes out, and what the operator is configured with, which
// only another version of it changes; Secrets, and children of kinds of their own, many of which are made once.
//
// Random values, such as passwords, keys and certificates, are for the creation alone, in whatever function of the module they
// are made, and so is what comes from the clock. Fields that the
// API server never changes, such as selectors, the template of a Job, or the
// reference of a role binding, are right where they are. So is all that is set where a Get
// has just found no such object, and what that answered is kept in a field, or asked for by a
// method, of this package: there the call only creates.
//
// So is all of a Secret or ConfigMap that is immutable, and
// a spec whose marker has the rule self == oldSelf. Where the call is made at one stage of an object's life, which its status
// tells, or the function, or one around it, updates or patches objects of the kind as well, what has changed may be
// stored there: that is reported with the strict flag only. Where an exported function makes the call that nothing in its package
// calls, callers may know that nothing is there: so is this; hygiene if it answers whether to come back.
//
// # Limits
//
// Functions that are made elsewhere, and those that hand the object to code which
// is not known, are taken to set everything.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:createorupdate // reason. Please report
// it, too.
package createorupdate
