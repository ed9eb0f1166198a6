// Package oneobject has handlers that care for the object of one name, and such that do not.
package oneobject

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

const configName = "operator-config"

type watcher struct {
	namespace, name string
	token           []byte
	states          chan string
	known           map[string]bool
}

// Register registers all.
func (w *watcher) Register(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.forConfigured})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.forConstant})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.asksHelper})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { w.handedOn(obj) }})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.forAllButOne})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.helperForAllButOne})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.inNamespace})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.andForAll})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.either})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.panics})
}

// Hygiene: one object.

func (w *watcher) forConfigured(obj any) {
	secret, ok := obj.(*corev1.Secret) // want `^hygiene: a missed deletion is lost`
	if !ok {
		return
	}
	if w.isConfigured(secret) {
		w.token = nil
	}
}

func (w *watcher) isConfigured(secret *corev1.Secret) bool {
	if secret.GetName() == w.name && secret.GetNamespace() == w.namespace {
		return true
	}
	return false
}

func (w *watcher) forConstant(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^hygiene: a missed deletion is lost`
	if !ok || config.Name != configName {
		return
	}
	delete(w.known, config.Name)
}

// The helper takes what it finds to be no such object for another one.
func (w *watcher) asksHelper(obj any) {
	if !w.isClaim(obj) {
		return
	}
	w.states <- w.name
}

func (w *watcher) isClaim(obj any) bool {
	claim, ok := obj.(*corev1.PersistentVolumeClaim) // want `^hygiene: a missed deletion is lost`
	if !ok {
		return false
	}
	return claim.Namespace == w.namespace && claim.Name == w.name
}

func (w *watcher) handedOn(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^hygiene: a missed deletion is lost`
	if ok && config.Name == configName {
		delete(w.known, config.Name)
	}
}

// Mistakes: any number of objects.

func (w *watcher) forAllButOne(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^loss: a missed deletion is lost`
	if !ok || config.Name == configName {
		return
	}
	delete(w.known, config.Name)
}

func (w *watcher) helperForAllButOne(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^loss: a missed deletion is lost`
	if !ok || !isOther(config) {
		return
	}
	delete(w.known, config.Name)
}

func isOther(config *corev1.ConfigMap) bool {
	if config.Name == configName {
		return false
	}
	return true
}

func (w *watcher) inNamespace(obj any) {
	secret, ok := obj.(*corev1.Secret) // want `^loss: a missed deletion is lost`
	if !ok || secret.Namespace != w.namespace {
		return
	}
	delete(w.known, secret.Name)
}

// Something is done for all, something else for one.
func (w *watcher) andForAll(obj any) {
	secret, ok := obj.(*corev1.Secret) // want `^loss: a missed deletion is lost`
	if !ok {
		return
	}
	delete(w.known, secret.Name)
	if secret.Name == w.name {
		w.token = nil
	}
}

// The one, or what has a label.
func (w *watcher) either(obj any) {
	secret, ok := obj.(*corev1.Secret) // want `^loss: a missed deletion is lost`
	if !ok {
		return
	}
	if secret.Name == w.name || secret.Labels["watched"] == "true" {
		delete(w.known, secret.Name)
	}
}

// A crash is one, whichever object it is.
func (w *watcher) panics(obj any) {
	secret := obj.(*corev1.Secret) // want `^crash: the operator crashes on a missed deletion`
	if secret.Name == w.name {
		w.token = nil
	}
}
