// Speed measures what opvet costs beside the least that any analysis of the
// same packages costs, loading and type-checking them, and beside other tools.
//
//	go run ./bench/speed -dir OPERATOR [-n 5] [-cold 1] [-vet] [-staticcheck] [-golangci] [pattern...]
//	go run ./bench/speed -growth 50,100,200,400 [-n 3]
//	go run ./bench/speed -growth functions=1000,4000,16000 [-n 3]
//
// It builds the programs, runs each by turns as a process of its own with a
// warm build cache, and prints the medians of wall time, CPU time (children
// included) and the largest resident set.
package main

import (
	"flag"
	"fmt"
	"os"
)

type config struct {
	dir         string
	tags        string
	n, cold     int
	vet         bool
	staticcheck bool
	golangci    bool
	leaf, base  string
	patterns    []string
}

func main() {
	var c config
	var inProcess inProcess
	var growth sizes
	flag.StringVar(&c.dir, "dir", ".", "the operator's `directory`")
	flag.StringVar(&c.tags, "tags", "", "build `tags`")
	flag.IntVar(&c.n, "n", 5, "how often to run each program")
	flag.IntVar(&c.cold, "cold", 1, "how often to run each program without the cache of its own")
	flag.BoolVar(&c.vet, "vet", false, "measure go vet too, plain and with opvet as its tool")
	flag.BoolVar(&c.staticcheck, "staticcheck", false, "measure staticcheck too")
	flag.BoolVar(&c.golangci, "golangci", false, "measure golangci-lint too, with opvet and with contextcheck; run it in opvet's checkout")
	flag.StringVar(&c.leaf, "leaf", "", "measure opvet with a cache, too, when this `file` of a package that nothing imports has changed; it is changed meanwhile")
	flag.StringVar(&c.base, "base", "", "the same, with a `file` of a package that many import")
	flag.Var(&growth, "growth", "measure generated modules with these `numbers` of packages instead, or of functions, statements, findings or facts, as in functions=1000,2000; run it in opvet's checkout")
	inProcess.define()
	flag.Parse()
	c.patterns = flag.Args()
	if len(c.patterns) == 0 {
		c.patterns = []string{"./..."}
	}
	err := inProcess.run(c)
	if err == errNotInProcess {
		if len(growth.numbers) > 0 {
			err = measureGrowth(c, growth)
		} else {
			err = measureAll(c)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "speed: %v\n", err)
		os.Exit(1)
	}
}

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
	if err := runAll(programs, c); err != nil {
		return err
	}
	printTable(os.Stdout, programs)
	printTargets(os.Stdout, programs)
	return nil
}

// runAll runs the programs by turns. The first round fills the go command's
// caches and is not counted; a cold run fills those of the one that comes
// after it.
func runAll(programs []*program, c config) error {
	for round := range 1 + max(c.n, c.cold) {
		for _, p := range programs {
			times := c.n
			if p.cold {
				times = c.cold
			}
			if round > times || round == 0 && (p.cold || p.warm != nil) {
				continue
			}
			m, err := p.once(c.dir)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "%s: %.2f s, CPU %.2f s, %d MB\n", p.name, m.wall.Seconds(), m.cpu.Seconds(), m.rss>>20)
			if round > 0 {
				p.runs = append(p.runs, m)
			}
		}
	}
	return nil
}
