package driver

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out, patience: time.Millisecond, done: make(chan struct{})}
	p.phase("thinking")
	p.wg.Go(p.show)
	time.Sleep(50 * time.Millisecond)
	p.stop()
	p.stop()
	text := out.String()
	if !strings.HasPrefix(text, clearLine+"opvet: thinking (0 s)") || !strings.HasSuffix(text, clearLine) {
		t.Errorf("shown %q", text)
	}
}

func TestProgressIsPatient(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out, patience: time.Hour, done: make(chan struct{})}
	p.phase("thinking")
	p.wg.Go(p.show)
	p.stop()
	if out.Len() > 0 {
		t.Errorf("shown %q", out.String())
	}
}

func TestProgressInLogs(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out, patience: time.Millisecond, done: make(chan struct{})}
	p.phase("loading")
	p.wg.Go(p.log)
	time.Sleep(50 * time.Millisecond)
	p.phase("analysing 2 packages")
	p.step("analysed 1 of 2 packages")
	time.Sleep(50 * time.Millisecond)
	p.step("analysed 2 of 2 packages")
	p.stop()
	const want = "opvet: loading (0 s)\nopvet: analysing 2 packages (0 s)\nopvet: analysed 2 of 2 packages (0 s)\n"
	if out.String() != want {
		t.Errorf("logged %q, want %q", out.String(), want)
	}
}

func TestProgressOfShortRuns(t *testing.T) {
	var out bytes.Buffer
	if isTerminal(&out) {
		t.Error("a buffer is no terminal")
	}
	startProgress(&out).stop()
	if out.Len() > 0 {
		t.Errorf("logged %q", out.String())
	}
}
