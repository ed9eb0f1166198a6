// Package lib has helpers around stores.
package lib

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Remember puts a pod into a store.
func Remember(store cache.Store, pod *corev1.Pod) error {
	return put(store, pod)
}

func put(store cache.Store, pod *corev1.Pod) error { return store.Update(pod) }

// Read reads only.
func Read(store cache.Store, key string) bool {
	_, exists, err := store.GetByKey(key)
	return exists && err == nil
}

// Informers has the store of an informer.
type Informers struct {
	informer cache.SharedIndexInformer
	Pods     cache.Indexer
}

// New returns the informer's stores.
func New(informer cache.SharedIndexInformer) *Informers {
	return &Informers{informer: informer, Pods: informer.GetIndexer()}
}

// Store is the informer's.
func (i *Informers) Store() cache.Store { return i.informer.GetStore() }

// Tracker keeps pods in a store that others make.
type Tracker struct{ store cache.Store }

// NewTracker keeps pods in a store.
func NewTracker(store cache.Store) *Tracker { return &Tracker{store: store} }

// Track puts a pod into the store.
func (t *Tracker) Track(pod *corev1.Pod) error { return t.store.Add(pod) }

// Options has a store that is filled here.
type Options struct{ Known cache.Store }

// Fill puts a pod into the store.
func (o *Options) Fill(pod *corev1.Pod) error { return o.Known.Add(pod) }
