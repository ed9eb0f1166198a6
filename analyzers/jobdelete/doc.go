// Package jobdelete finds Jobs that are deleted while their pods stay.
//
// Whoever deletes a Deployment gets rid of its pods as well. A Job of batch/v1 is
// the exception: for the sake of old clients the API server orphans its pods unless
// the request says otherwise. kubectl says so, and so it looks as if Jobs were no
// exception; a program has to say it, too. What is left behind belongs to nobody:
// pods that run on beside those of the next Job, volumes that cannot be detached,
// and thousands of completed pods in etcd.
//
// # orphaned-pods
//
// A Job is deleted without a propagation policy:
//
//	err := r.Delete(ctx, job)
//	err := clientset.BatchV1().Jobs(ns).Delete(ctx, name, metav1.DeleteOptions{})
//
// Background deletes the pods after the Job, Foreground before it:
//
//	err := r.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
//
// A policy that is given, also Orphan, is taken to be meant. Code that deletes the pods
// itself, in the same function or next to it, is left alone.
//
// # Limits
//
// Options that are put together elsewhere are taken to have a policy. Unstructured objects
// and resources of which only callers know the kind are hygiene: there need not be a Job
// among them. A helper that is handed a Job, and a constant with which it never
// gets to its deletion, deletes none. A function that names Jobs is taken to see to them. So are, as they hardly ever delete
// a Job, deletions that are only reached where a read has just answered that there is none, or for one
// that has another name than the operator makes of its owner's, and all of a project whose roles let it create Jobs and not delete them.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:jobdelete // reason. Please report
// it, too.
package jobdelete
