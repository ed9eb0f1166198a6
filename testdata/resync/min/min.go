// Package min is looked at with the flag min set to ten minutes.
package min

import (
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func fiveMinutes(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, 5*time.Minute) // want `^hygiene: every 5m all update handlers get all objects of informers\.NewSharedInformerFactory again.*resync/too-often`
}

func tenMinutes(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, 10*time.Minute)
}
