package kubeapi

import "go/types"

// isReconcile recognises Reconcile in any instantiation of the generic
// reconciler, of an ObjectReconciler, and of the older one without a context:
// one request or object in, a result and an error out.
func isReconcile(sig *types.Signature) bool {
	if isKeyReconcile(sig) {
		return true
	}
	params := sig.Params()
	return fit(sig.Results(), IsReconcileResult, IsError) &&
		(params.Len() == 1 && !IsContext(params.At(0).Type()) || params.Len() == 2 && IsContext(params.At(0).Type()))
}

// isKeyReconcile recognises knative's controller.Reconciler, and others that
// get the key: a context and a string in, an error out.
func isKeyReconcile(sig *types.Signature) bool {
	return fit(sig.Params(), IsContext, IsString) && fit(sig.Results(), IsError)
}

// IsReconcileResult reports whether t is reconcile.Result, which says whether to come back
// to an object.
func IsReconcileResult(t types.Type) bool {
	s, _ := t.Underlying().(*types.Struct)
	return anyField(s, func(f *types.Var) bool { return f.Name() == "RequeueAfter" && IsNamed(f.Type(), "time", "Duration") })
}

// IsRequest recognises reconcile.Request: a struct around a NamespacedName.
func IsRequest(t types.Type) bool {
	s, _ := t.Underlying().(*types.Struct)
	return anyField(s, func(f *types.Var) bool {
		return f.Embedded() && isNamespacedName(f.Type())
	})
}

// isKindReconcile recognises the signature of knative's ReconcileKind and
// FinalizeKind: a context and an object in, an event (an error) out.
func isKindReconcile(sig *types.Signature) bool {
	return fit(sig.Params(), IsContext, IsObject) && fit(sig.Results(), func(t types.Type) bool { return types.AssignableTo(t, errorType) })
}

// IsExternalClient recognises crossplane's ExternalClient, typed and untyped:
// Observe, Create, Update and Delete of a managed resource.
func IsExternalClient(t types.Type) bool {
	for _, name := range []string{"Observe", "Create", "Update", "Delete"} {
		sig := method(t, name)
		if sig == nil || !fit(sig.Params(), IsContext, isObjectOrParam) || !CanFail(sig) {
			return false
		}
	}
	return true
}

// isStart recognises manager.Runnable's Start, with a context or, as it once
// was, with a stop channel.
func isStart(sig *types.Signature) bool {
	return takesUntil(sig) && fit(sig.Results(), IsError)
}

// IsStopChannel reports whether t is a channel that only tells to stop: its
// elements are empty structs.
func IsStopChannel(t types.Type) bool {
	ch, ok := t.Underlying().(*types.Chan)
	if !ok {
		return false
	}
	s, ok := ch.Elem().Underlying().(*types.Struct)
	return ok && s.NumFields() == 0
}

// isAdmissionHandle recognises the handler of a raw admission webhook.
func isAdmissionHandle(sig *types.Signature) bool {
	return fit(sig.Params(), IsContext, func(t types.Type) bool { return hasEmbedded(t, "AdmissionRequest") }) &&
		fit(sig.Results(), func(t types.Type) bool { return hasEmbedded(t, "AdmissionResponse") })
}

func hasEmbedded(t types.Type, name string) bool {
	s, _ := t.Underlying().(*types.Struct)
	return anyField(s, func(f *types.Var) bool { return f.Embedded() && f.Name() == name })
}

// isAdmissionMethod recognises defaulters and validators: those that are
// methods of the kind itself, and those of a type of their own, which get the
// object.
func isAdmissionMethod(recv types.Type, m *types.Func) bool {
	if method(recv, "Default") == nil && (method(recv, "ValidateCreate") == nil || method(recv, "ValidateUpdate") == nil || method(recv, "ValidateDelete") == nil) {
		return false
	}
	if IsObject(recv) {
		return true
	}
	params := m.Signature().Params()
	if params.Len() < 2 || !IsContext(params.At(0).Type()) {
		return false
	}
	for i := 1; i < params.Len(); i++ {
		if !isObjectOrParam(params.At(i).Type()) {
			return false
		}
	}
	return true
}

// isHTTPHandler recognises the signature of an HTTP handler.
func isHTTPHandler(sig *types.Signature) bool {
	params := sig.Params()
	return params.Len() == 2 && sig.Results().Len() == 0 &&
		IsNamed(params.At(0).Type(), "net/http", "ResponseWriter") && IsNamed(params.At(1).Type(), "net/http", "Request")
}

// IsQueue reports whether t is a workqueue, told by its shape so that the
// typed, the older untyped, the priority queue and queues of other projects
// count: what Get hands out has to be returned by Done.
func IsQueue(t types.Type) bool {
	get, done := method(t, "Get"), method(t, "Done")
	if get == nil || done == nil || get.Params().Len() != 0 || done.Params().Len() != 1 {
		return false
	}
	n := get.Results().Len()
	return n >= 2 && IsBool(get.Results().At(n-1).Type())
}

// IsQueueGet reports whether fn takes an item off a workqueue.
func IsQueueGet(fn *types.Func) bool {
	return isMethod(fn, "Get", "GetWithPriority") && fn.Signature().Params().Len() == 0 && IsQueue(fn.Signature().Recv().Type())
}

// IsQueueAdd reports whether fn only puts something into a workqueue.
func IsQueueAdd(fn *types.Func) bool {
	return isMethod(fn, "Add", "AddAfter", "AddRateLimited", "AddWithOpts", "Insert", "Forget", "Done") && IsQueue(fn.Signature().Recv().Type())
}
