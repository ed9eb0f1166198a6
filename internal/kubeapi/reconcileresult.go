package kubeapi

import "go/types"

// IsReconcileResult reports whether t is reconcile.Result, which says whether
// to come back to an object.
func IsReconcileResult(t types.Type) bool { return isResult(t) }
