// Package monitor starts goroutines for those who ask first whether they run.
package monitor

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

// Set has one monitor for each key.
type Set struct {
	mu      sync.Mutex
	running map[string]*Monitor
	client  kubernetes.Interface
}

// Monitor watches one thing.
type Monitor struct {
	key string
}

// Has reports whether the key has a monitor.
func (s *Set) Has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.running[key]
	return ok
}

// Get returns the monitor of a key, or nil.
func (s *Set) Get(key string) *Monitor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[key]
}

// Begin starts the monitor of a key, which must have none.
func (s *Set) Begin(key string) *Monitor {
	m := New(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[key] = m
	return m
}

// New makes a monitor and starts it.
func New(key string) *Monitor {
	m := &Monitor{key: key}
	go m.run()
	return m
}

// NewFor makes a monitor with its entry in a set, and starts it.
func NewFor(s *Set, key string) *Monitor {
	m := &Monitor{key: key}
	s.running[key] = m
	go m.run()
	return m
}

func (m *Monitor) run() {
	for {
		time.Sleep(time.Minute)
		probe(m.key)
	}
}

// Probe looks after a key in the background.
func (s *Set) Probe(key string) {
	go probe(key)
}

// Factory makes the informers of a client.
func (s *Set) Factory() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(s.client, 0)
}

// Informers starts those that do not run yet.
type Informers struct {
	mu      sync.Mutex
	all     map[string]func(ctx context.Context)
	started map[string]bool
}

// Start starts what does not run yet, and returns at once.
func (i *Informers) Start(ctx context.Context) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for name, run := range i.all {
		if !i.started[name] {
			go run(ctx)
			i.started[name] = true
		}
	}
}

func probe(string) { time.Sleep(time.Minute) }
