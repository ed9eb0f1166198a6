package send

import (
	"bufio"
	"bytes"
	"io"
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// filtered is a reader that a goroutine feeds; Close does not reach it.
type filtered struct {
	source io.ReadCloser
	data   chan []byte
	rest   bytes.Buffer
}

// Filter starts the goroutine.
func Filter(source io.ReadCloser) io.ReadCloser {
	f := &filtered{source: source, data: make(chan []byte)}
	go f.feed(source, f.data)
	return f
}

func (f *filtered) feed(source io.Reader, data chan []byte) {
	defer close(data)
	lines := bufio.NewScanner(source)
	for lines.Scan() {
		data <- bytes.Clone(lines.Bytes()) // want `this goroutine hangs in its send on data after Close of filtered, when nobody calls Read; select on a channel that Close closes.*ctxdone/blocking-send`
	}
}

// Read hands out what the goroutine has sent.
func (f *filtered) Read(p []byte) (int, error) {
	if f.rest.Len() == 0 {
		line, ok := <-f.data
		if !ok {
			return 0, io.EOF
		}
		f.rest.Write(line)
	}
	return f.rest.Read(p)
}

// Close ends the source, but not a send that waits.
func (f *filtered) Close() error { return f.source.Close() }

// renamed is a watch that changes what another one brings.
type renamed struct {
	source watch.Interface
	result chan watch.Event
}

func newRenamed(source watch.Interface) watch.Interface {
	w := &renamed{source: source, result: make(chan watch.Event)}
	go w.receive()
	return w
}

func (w *renamed) receive() {
	defer close(w.result)
	for event := range w.source.ResultChan() {
		w.result <- event // want `this goroutine hangs in its send on result after Stop of renamed, when nobody calls ResultChan`
	}
}

// Stop ends the source, but not a send that waits.
func (w *renamed) Stop() { w.source.Stop() }

// ResultChan hands out the events.
func (w *renamed) ResultChan() <-chan watch.Event { return w.result }

// guarded is right: Stop reaches the goroutine.
type guarded struct {
	source watch.Interface
	result chan watch.Event
	done   chan struct{}
	once   sync.Once
}

func newGuarded(source watch.Interface) watch.Interface {
	w := &guarded{source: source, result: make(chan watch.Event), done: make(chan struct{})}
	go w.receive()
	return w
}

func (w *guarded) receive() {
	defer close(w.result)
	for event := range w.source.ResultChan() {
		select {
		case w.result <- event:
		case <-w.done:
			return
		}
	}
}

// Stop ends the goroutine.
func (w *guarded) Stop() { w.once.Do(func() { close(w.done); w.source.Stop() }) }

// ResultChan hands out the events.
func (w *guarded) ResultChan() <-chan watch.Event { return w.result }

// drained is right: Close takes what is left.
type drained struct {
	source io.ReadCloser
	data   chan []byte
}

// Drained starts the goroutine.
func Drained(source io.ReadCloser) io.ReadCloser {
	d := &drained{source: source, data: make(chan []byte)}
	go d.feed()
	return d
}

func (d *drained) feed() {
	defer close(d.data)
	lines := bufio.NewScanner(d.source)
	for lines.Scan() {
		d.data <- bytes.Clone(lines.Bytes())
	}
}

func (d *drained) Read(p []byte) (int, error) {
	line, ok := <-d.data
	if !ok {
		return 0, io.EOF
	}
	return copy(p, line), nil
}

// Close receives until the goroutine has ended.
func (d *drained) Close() error {
	err := d.source.Close()
	for range d.data {
	}
	return err
}
