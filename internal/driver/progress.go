package driver

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// How long a run may take without a word: to a person at a terminal, and in a
// log, which gets a line for each phase that lasts, and one now and then.
const (
	patience    = time.Second
	logPatience = 20 * time.Second
	logInterval = time.Minute
)

// progress tells on the standard error what takes so long: on one line that changes
// at a terminal, and elsewhere on a line for each phase.
type progress struct {
	out      io.Writer
	patience time.Duration
	done     chan struct{}
	wg       sync.WaitGroup
	once     sync.Once

	mu   sync.Mutex
	what string // the phase
	text string // how far it has come; the phase itself at first
}

func startProgress(out io.Writer) *progress {
	p := &progress{out: out, patience: logPatience, done: make(chan struct{})}
	if isTerminal(out) {
		p.patience = patience
		p.wg.Go(p.show)
	} else {
		p.wg.Go(p.log)
	}
	return p
}

// phase names what is being done from now on.
func (p *progress) phase(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.text = text, text
}

// loadingPackages is the phase that lasts the longest where the build cache is empty.
const loadingPackages = "loading packages: waiting for the go command, which compiles what the build cache lacks"

// analysing tells how many packages of a program have been analysed.
func (p *progress) analysing(program *Program) {
	var done atomic.Int64
	p.phase("analysing " + count(program.Len(), "package"))
	program.Analysed = func() {
		p.step(fmt.Sprintf("analysed %d of %d packages", done.Add(1), program.Len()))
	}
}

// step says how far the phase has come.
func (p *progress) step(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

func (p *progress) now() (what, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.what, p.text
}

// stop ends the display and clears its line. It may be called again.
func (p *progress) stop() {
	p.once.Do(func() {
		close(p.done)
		p.wg.Wait()
	})
}

const clearLine = "\r\x1b[K"

func (p *progress) show() {
	start := time.Now()
	tick := time.NewTicker(p.patience)
	defer tick.Stop()
	shown := false
	for {
		select {
		case <-tick.C:
			shown = true
			_, text := p.now()
			fmt.Fprintf(p.out, "%sopvet: %s (%d s)", clearLine, text, int(time.Since(start).Seconds()))
		case <-p.done:
			if shown {
				fmt.Fprint(p.out, clearLine)
			}
			return
		}
	}
}

// log prints a line for each phase once the patience is at its end, one at
// intervals, and at the end one that says how far it has come.
func (p *progress) log() {
	start := time.Now()
	tick := time.NewTicker(min(p.patience, patience))
	defer tick.Stop()
	said := ""
	var last time.Time
	say := func(text string) {
		fmt.Fprintf(p.out, "opvet: %s (%d s)\n", text, int(time.Since(start).Seconds()))
		last = time.Now()
	}
	for {
		select {
		case <-tick.C:
			what, text := p.now()
			switch {
			case time.Since(start) < p.patience:
			case what != said:
				said = what
				say(what)
			case time.Since(last) >= logInterval:
				say(text)
			}
		case <-p.done:
			if what, text := p.now(); said != "" && text != what {
				say(text)
			}
			return
		}
	}
}

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
