package driver

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/tools/go/analysis"
)

// openTerminal returns a terminal, and the end from which it is seen.
func openTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	control := func(request uintptr, value *uint32) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	var unlock, number uint32
	control(syscall.TIOCSPTLCK, &unlock)
	control(syscall.TIOCGPTN, &number)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return screen, terminal
}

// seen runs the command at a terminal, and returns what is to be seen there.
func seen(t *testing.T, args ...string) string {
	t.Helper()
	screen, terminal := openTerminal(t)
	text := make(chan string)
	go func() {
		var all strings.Builder
		buf := make([]byte, 4096)
		for !strings.Contains(all.String(), "END") {
			n, err := screen.Read(buf)
			if err != nil {
				break
			}
			all.Write(buf[:n])
		}
		text <- all.String()
	}()
	Main(args, []*analysis.Analyzer{badcall, noise}, terminal, terminal)
	fmt.Fprint(terminal, "END")
	select {
	case all := <-text:
		return strings.ReplaceAll(strings.TrimSuffix(all, "END"), "\r\n", "\n")
	case <-time.After(time.Minute):
		t.Fatal("nothing more is to be seen")
		return ""
	}
}

// TestTerminal sees that findings are for people at a terminal, coloured unless they
// want none, and plain elsewhere.
func TestTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	t.Setenv("CLICOLOR_FORCE", "")
	writeModule(t, map[string]string{"m.go": "package m\n\n// f is bad.\nfunc f() {}\n\nfunc g() { f() }\n"})
	const (
		pretty = "loss: call of bad function f [fix] (badcall/direct)\n  m.go:6:12\n  6 | func g() { f() }\n    |            ^^^\n      m.go:1:9  in this package\n      1 | package m\n"
		colour = "\x1b[1;31mloss:\x1b[0m \x1b[1mcall of bad function f\x1b[0m \x1b[32m[fix]\x1b[0m "
		plain  = "m.go:6:12: loss: call of bad function f (badcall/direct)\n"
	)
	if got := seen(t); !strings.Contains(got, colour) {
		t.Errorf("no colour:\n%q", got)
	}
	if got := seen(t, "-format=plain"); !strings.Contains(got, plain) {
		t.Errorf("not plain:\n%s", got)
	}
	t.Setenv("NO_COLOR", "1")
	if got := seen(t); !strings.Contains(got, pretty) || strings.Contains(got, "\x1b[1") {
		t.Errorf("with NO_COLOR:\n%s", got)
	}
	t.Setenv("TERM", "dumb")
	if got := seen(t); !strings.Contains(got, plain) {
		t.Errorf("at a dumb terminal:\n%s", got)
	}
}
