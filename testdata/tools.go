// Package testdata keeps the requirements of the test packages in one place,
// so that a new case finds them in go.mod.
package testdata

import (
	_ "golang.org/x/sync/errgroup"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apimachinery/pkg/util/wait"
	_ "k8s.io/client-go/dynamic"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/kubernetes"
	_ "k8s.io/client-go/util/workqueue"
	_ "k8s.io/klog/v2"
	_ "k8s.io/utils/ptr"
	_ "knative.dev/pkg/reconciler"
	_ "sigs.k8s.io/controller-runtime"
)
