// Package helpers has resync periods that another package gives to informers.
package helpers

import (
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/opvet/opvet/testdata/resync/helpers/lib"
)

func short(client kubernetes.Interface) *lib.Factories {
	return lib.NewFactories(client, 30*time.Second) // want `^hygiene: every 30s all update handlers get all objects of lib\.NewFactories again \(lib\.go:\d+\).*resync/too-often`
}

func throughTwo(client kubernetes.Interface) *lib.Factories {
	return lib.NewFactoriesEvery(10*time.Second, client) // want `^hygiene: every 10s all update handlers get all objects of lib\.NewFactoriesEvery again \(lib\.go:\d+\).*resync/too-often`
}

func long(client kubernetes.Interface) *lib.Factories {
	return lib.NewFactories(client, time.Hour)
}

func singleObject(client kubernetes.Interface) informers.SharedInformerFactory {
	return lib.NewSettings(client, 30*time.Second)
}
