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

func TestProgressOnlyOnTerminals(t *testing.T) {
	var out bytes.Buffer
	if isTerminal(&out) {
		t.Error("a buffer is no terminal")
	}
	startProgress(&out).stop()
	if out.Len() > 0 {
		t.Errorf("shown %q", out.String())
	}
}
