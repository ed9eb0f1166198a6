// Speed measures what opvet costs beside the least that any analysis of the
// same packages costs: loading and type-checking them.
//
//	go run ./bench/speed -dir OPERATOR [-n 5] [-vet] [-staticcheck] [pattern...]
//
// It builds opvet, runs each program n times by turns as a process of its own
// with a warm build cache, and prints the medians of wall time, CPU time
// (children included) and the largest resident set.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

type config struct {
	dir         string
	tags        string
	n           int
	vet         bool
	staticcheck bool
	patterns    []string
}

func main() {
	var c config
	var inProcess inProcess
	flag.StringVar(&c.dir, "dir", ".", "the operator's `directory`")
	flag.StringVar(&c.tags, "tags", "", "build `tags`")
	flag.IntVar(&c.n, "n", 5, "how often to run each program")
	flag.BoolVar(&c.vet, "vet", false, "measure go vet too, plain and with opvet as its tool")
	flag.BoolVar(&c.staticcheck, "staticcheck", false, "measure staticcheck too")
	inProcess.define()
	flag.Parse()
	c.patterns = flag.Args()
	if len(c.patterns) == 0 {
		c.patterns = []string{"./..."}
	}
	err := inProcess.run(c)
	if err == errNotInProcess {
		err = measureAll(c)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "speed: %v\n", err)
		os.Exit(1)
	}
}

// Exit statuses that are no failure of the measurement.
const (
	findings = 1
	partly   = 2 // opvet's if some package does not compile
)

func measureAll(c config) error {
	temp, err := os.MkdirTemp("", "opvet-speed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)

	programs, err := prepare(c, temp)
	if err != nil {
		return err
	}
	// The first round fills the caches and is not counted, except for
	// programs of which the first run is what matters.
	for _, p := range programs {
		m, err := p.once(c.dir)
		if err != nil {
			return err
		}
		if p.first {
			p.runs = append(p.runs, m)
		}
	}
	for range c.n {
		for _, p := range programs {
			if p.first {
				continue
			}
			m, err := p.once(c.dir)
			if err != nil {
				return err
			}
			p.runs = append(p.runs, m)
		}
	}
	printTable(os.Stdout, programs)
	return nil
}

// prepare builds the programs to measure. The first is the base of the ratios.
func prepare(c config, temp string) ([]*program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// A build ID of its own makes go vet's cache of earlier runs useless.
	opvet := filepath.Join(temp, "opvet")
	salt := strconv.FormatInt(time.Now().UnixNano(), 36)
	compile := exec.Command("go", "build", "-ldflags=-buildid="+salt, "-o", opvet, "github.com/opvet/opvet/cmd/opvet")
	compile.Env = append(os.Environ(), "GOFLAGS=") // those that are set are for the operator
	if err := build(compile); err != nil {
		return nil, err
	}
	tags := []string{"-tags=" + c.tags}
	programs := []*program{
		{name: "load only", args: slicesOf([]string{self, "-load"}, tags, []string{"-dir=."}, c.patterns)},
		{name: "opvet", args: slicesOf([]string{opvet}, tags, c.patterns), highest: partly},
	}
	if c.vet {
		vet := func(args ...string) []string { return slicesOf([]string{"go", "vet"}, tags, args, c.patterns) }
		programs = append(programs,
			&program{name: "go vet -vettool=opvet, first run", args: vet("-vettool=" + opvet), highest: findings, first: true},
			&program{name: "go vet -vettool=opvet, again", args: vet("-vettool=" + opvet), highest: findings},
			&program{name: "go vet, again", args: vet(), highest: findings},
		)
	}
	if c.staticcheck {
		install := exec.Command("go", "install", "honnef.co/go/tools/cmd/staticcheck@latest")
		install.Env = append(os.Environ(), "GOBIN="+temp, "GOFLAGS=")
		install.Dir = temp
		if err := build(install); err != nil {
			return nil, err
		}
		programs = append(programs, &program{
			name: "staticcheck, no cache of its own",
			args: slicesOf([]string{filepath.Join(temp, "staticcheck")}, tags, c.patterns), highest: findings,
			fresh: func() ([]string, error) {
				cache, err := os.MkdirTemp(temp, "staticcheck-cache-")
				return []string{"STATICCHECK_CACHE=" + cache}, err
			},
		})
	}
	return programs, nil
}

func build(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return nil
}

func slicesOf(parts ...[]string) []string {
	var all []string
	for _, part := range parts {
		for _, arg := range part {
			if arg != "-tags=" {
				all = append(all, arg)
			}
		}
	}
	return all
}
