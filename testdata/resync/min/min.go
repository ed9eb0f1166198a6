// Package min is looked at with the flag min set to ten minutes.
package min

import (
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func fiveMinutes(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, 5*time.Minute) // want `resync period of 5m the informers .* every 5m,`
}

func tenMinutes(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, 10*time.Minute)
}
