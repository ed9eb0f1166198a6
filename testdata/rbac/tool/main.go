// Command tool is for people, who have their own rights: it has no informers, and is not
// judged by the markers of the operator beside it.
package main

import (
	"context"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		os.Exit(1)
	}
	err = kubernetes.NewForConfigOrDie(config).CoreV1().Secrets("default").Delete(context.Background(), "old", metav1.DeleteOptions{})
	if err != nil {
		os.Exit(1)
	}
}
