package right

import (
	"errors"

	"k8s.io/client-go/util/workqueue"
)

// several has queues whose items go from one to another.
type several struct {
	first, second, retries, gone workqueue.TypedRateLimitingInterface[string]
	sync                         func(key string) error
	alias                        workqueue.TypedRateLimitingInterface[string]
	given                        workqueue.TypedRateLimitingInterface[string]
	byName                       map[string]workqueue.TypedRateLimitingInterface[string]
}

func newSeveral(given workqueue.TypedRateLimitingInterface[string]) *several {
	s := &several{first: fresh(), second: fresh(), retries: fresh(), gone: fresh(), given: given}
	s.alias = s.first
	s.byName = map[string]workqueue.TypedRateLimitingInterface[string]{"a": fresh(), "b": fresh()}
	return s
}

func fresh() workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
}

func (s *several) stop() {
	for _, queue := range []workqueue.TypedRateLimitingInterface[string]{s.first, s.second, s.retries, s.gone} {
		queue.ShutDown()
	}
	for _, queue := range s.byName {
		queue.ShutDown()
	}
}

// handsOn has the second queue see to what has succeeded, and to what is too
// large.
func (s *several) handsOn() bool {
	key, quit := s.first.Get()
	if quit {
		return false
	}
	defer s.first.Done(key)
	if len(key) > 100 {
		s.second.AddRateLimited(key)
		return true
	}
	if err := s.sync(key); err != nil {
		s.first.AddRateLimited(key)
		return true
	}
	s.first.Forget(key)
	s.second.AddRateLimited(key)
	return true
}

// tiered leaves what has failed to workers with more patience, who do the same.
func (s *several) tiered() bool {
	key, quit := s.second.Get()
	if quit {
		return false
	}
	defer s.second.Done(key)
	if err := s.handle(key); err != nil {
		s.retries.AddRateLimited(key)
	}
	s.second.Forget(key)
	return true
}

func (s *several) patient() bool {
	key, quit := s.retries.Get()
	if quit {
		return false
	}
	defer s.retries.Done(key)
	if err := s.handle(key); err != nil {
		s.retries.AddRateLimited(key)
		return true
	}
	s.retries.Forget(key)
	return true
}

func (s *several) handle(key string) error { return s.sync(key) }

// forgetsAll has both queues forget what has gone.
func (s *several) forgetsAll() bool {
	key, quit := s.gone.Get()
	if quit {
		return false
	}
	defer s.gone.Done(key)
	if err := s.sync(key); err != nil {
		s.gone.AddRateLimited(key)
		return true
	}
	s.gone.Forget(key)
	s.first.Forget(key)
	return true
}

// byAlias knows the queue by two names.
func (s *several) byAlias() bool {
	key, quit := s.first.Get()
	if quit {
		return false
	}
	defer s.alias.Done(key)
	if err := s.sync(key); err != nil {
		s.alias.AddRateLimited(key)
		return true
	}
	s.alias.Forget(key)
	return true
}

// byParameter works for whichever queue it is handed.
func (s *several) byParameter(queue workqueue.TypedRateLimitingInterface[string]) bool {
	key, quit := queue.Get()
	if quit {
		return false
	}
	defer queue.Done(key)
	s.after(queue, key, s.sync(key))
	return true
}

func (s *several) after(queue workqueue.TypedRateLimitingInterface[string], key string, err error) {
	if err != nil {
		queue.AddRateLimited(key)
		return
	}
	queue.Forget(key)
}

func (s *several) runAll() {
	for s.byParameter(s.first) && s.byParameter(s.second) && s.byParameter(s.gone) && s.byParameter(s.byName["a"]) {
	}
}

// ofOthers cannot be told from the queue that it was given.
func (s *several) ofOthers() bool {
	key, quit := s.given.Get()
	if quit {
		return false
	}
	defer s.given.Done(key)
	if err := s.sync(key); err != nil {
		s.first.AddRateLimited(key)
		return true
	}
	s.given.Forget(key)
	return true
}

var errGone = errors.New("gone")

// byKind has another queue see to a certain kind of error.
func (s *several) byKind() bool {
	key, quit := s.first.Get()
	if quit {
		return false
	}
	defer s.first.Done(key)
	if err := s.sync(key); errors.Is(err, errGone) {
		s.gone.AddRateLimited(key)
	} else if err != nil {
		s.first.AddAfter(key, 1)
	}
	s.first.Forget(key)
	return true
}

// fromBoth takes items off two queues, and gives each back to its own.
func (s *several) fromBoth() bool {
	first, quit := s.first.Get()
	if quit {
		return false
	}
	defer s.first.Done(first)
	second, quit := s.second.Get()
	if quit {
		return false
	}
	defer s.second.Done(second)
	return s.sync(first+second) == nil
}
