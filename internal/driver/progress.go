package driver

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// patience is how long a run may take without a word.
const patience = time.Second

// progress tells a person at a terminal what takes so long. It says nothing
// elsewhere.
type progress struct {
	out      io.Writer
	patience time.Duration
	done     chan struct{}
	wg       sync.WaitGroup
	once     sync.Once

	mu   sync.Mutex
	text string
}

func startProgress(out io.Writer) *progress {
	p := &progress{out: out, patience: patience, done: make(chan struct{})}
	if isTerminal(out) {
		p.wg.Go(p.show)
	}
	return p
}

// phase names what is being done from now on.
func (p *progress) phase(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
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
			p.mu.Lock()
			text := p.text
			p.mu.Unlock()
			fmt.Fprintf(p.out, "%sopvet: %s (%d s)", clearLine, text, int(time.Since(start).Seconds()))
		case <-p.done:
			if shown {
				fmt.Fprint(p.out, clearLine)
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
