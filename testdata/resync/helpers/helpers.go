// Package helpers has resync periods that another package gives to informers.
package helpers

import (
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/opvet/opvet/testdata/resync/helpers/lib"
)

func short(client kubernetes.Interface) *lib.Factories {
	return lib.NewFactories(client, 30*time.Second) // want `lib.NewFactories: with a resync period of 30s the informers of the factory call \(made at lib/lib.go:\d+\) the update handlers`
}

func throughTwo(client kubernetes.Interface) *lib.Factories {
	return lib.NewFactoriesEvery(10*time.Second, client) // want `resync period of 10s`
}

func long(client kubernetes.Interface) *lib.Factories {
	return lib.NewFactories(client, time.Hour)
}

func singleObject(client kubernetes.Interface) informers.SharedInformerFactory {
	return lib.NewSettings(client, 30*time.Second)
}
