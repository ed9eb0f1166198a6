package right

import "k8s.io/client-go/tools/cache"

// node is none of Kubernetes' objects: what polls for nodes has handlers of the same form, and
// hands over no tombstones.
type node struct{ name string }

type poller interface {
	AddEventHandler(handler cache.ResourceEventHandler)
}

func watch(p poller, forget func(name string)) {
	p.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			n, ok := obj.(*node)
			if !ok {
				return
			}
			forget(n.name)
		},
	})
	p.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) { forget(obj.(*node).name) },
	})
}

var _ = watch
