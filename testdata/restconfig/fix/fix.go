// Package fix has what the fix edits.
package fix

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func protobuf(mgr manager.Manager) (*kubernetes.Clientset, error) {
	config := mgr.GetConfig()
	config.ContentType = runtime.ContentTypeProtobuf // want `later clients of mgr\.GetConfig\(\) use another encoding: this sets its ContentType for all; change a rest\.CopyConfig \(restconfig/shared\)`
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	return kubernetes.NewForConfig(config)
}

// There is no variable to hold a copy.
func tune(mgr manager.Manager) *rest.Config {
	mgr.GetConfig().Burst = 100 // want `later clients of mgr\.GetConfig\(\) have another rate limit: this sets its Burst for all.*restconfig/shared`
	return mgr.GetConfig()
}
