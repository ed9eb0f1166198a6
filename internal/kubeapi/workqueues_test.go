package kubeapi_test

import (
	"go/types"
	"testing"

	"github.com/opvet/opvet/internal/kubeapi"
)

func TestWorkqueues(t *testing.T) {
	for dir, pattern := range map[string]string{current: "./workqueue/right", legacy: "./workqueue"} {
		for _, imported := range load(t, dir, pattern).Package.Types.Imports() {
			if imported.Path() == "k8s.io/client-go/util/workqueue" {
				testWorkqueues(t, imported.Scope())
			}
		}
	}
}

// testWorkqueues checks what is said of client-go's package workqueue.
func testWorkqueues(t *testing.T, scope *types.Scope) {
	for name, want := range map[string]struct{ queue, rateLimits bool }{
		"Interface": {true, false}, "DelayingInterface": {true, false}, "RateLimitingInterface": {true, true}, "RateLimiter": {false, false},
	} {
		typ := scope.Lookup(name).Type()
		if got := kubeapi.IsQueue(typ); got != want.queue {
			t.Errorf("%s is a queue: %v", name, got)
		}
		if got := kubeapi.RateLimits(typ); got != want.rateLimits {
			t.Errorf("%s has a rate limiter: %v", name, got)
		}
		if got := kubeapi.IsLimiter(typ); got != (name == "RateLimiter") {
			t.Errorf("%s is a rate limiter: %v", name, got)
		}
	}
	for name, want := range map[string]kubeapi.Limiter{
		"DefaultControllerRateLimiter": kubeapi.PerItem, "NewItemExponentialFailureRateLimiter": kubeapi.PerItem, "NewMaxOfRateLimiter": kubeapi.UnknownLimiter,
	} {
		got, inner, ok := kubeapi.LimiterMade(scope.Lookup(name).(*types.Func))
		if got != want || inner != (want == kubeapi.UnknownLimiter) || !ok {
			t.Errorf("%s makes %d, %v, %v", name, got, inner, ok)
		}
	}
	for _, name := range []string{"New", "NewNamedRateLimitingQueue", "NewDelayingQueue"} {
		if !kubeapi.NewsQueue(scope.Lookup(name).(*types.Func)) {
			t.Errorf("%s makes no queue", name)
		}
	}
	for name, want := range map[string]kubeapi.QueueVerb{
		"Get": kubeapi.QueueGet, "Done": kubeapi.QueueDone, "AddAfter": kubeapi.QueueAddAfter, "AddRateLimited": kubeapi.QueueAddRateLimited,
		"ShutDown": kubeapi.QueueShutDown, "Len": kubeapi.NoQueueVerb,
	} {
		obj, _, _ := types.LookupFieldOrMethod(scope.Lookup("RateLimitingInterface").Type(), false, nil, name)
		if got := kubeapi.QueueVerbOf(obj.(*types.Func)); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	forget, _, _ := types.LookupFieldOrMethod(scope.Lookup("RateLimiter").Type(), false, nil, "Forget")
	if got := kubeapi.QueueVerbOf(forget.(*types.Func)); got != kubeapi.NoQueueVerb {
		t.Errorf("a rate limiter's Forget is %d", got)
	}
}
