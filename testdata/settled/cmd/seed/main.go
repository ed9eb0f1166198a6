// Command seed fills a cluster once, and ends.
package main

import (
	"context"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opvet/opvet/testdata/settled/shared"
)

func main() {
	ctx := context.Background()
	shared.Both(ctx)
	if err := shared.Once(ctx); err != nil || !shared.Ready(&unstructured.Unstructured{}) {
		os.Exit(1)
	}
}
