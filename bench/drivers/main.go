// Drivers compares what go vet says of an operator, with opvet as its tool, with what the
// command says, which has the whole module:
//
//	go run ./bench/drivers OPERATOR...
//
// Whatever go vet finds, the command must find, too, and where one of them prints what the
// other does not, the command must say what the module has settled. It prints how many
// findings each has and every difference, and fails if one is not settled. Dependencies
// are compiled, which takes minutes the first time.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "drivers: %v\n", err)
		os.Exit(1)
	}
}

func run(dirs []string) error {
	if len(dirs) == 0 {
		return errors.New("which operators? Give their directories")
	}
	work, err := os.MkdirTemp("", "opvet-drivers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	opvet := filepath.Join(work, "opvet")
	if out, err := exec.Command("go", "build", "-o", opvet, "./cmd/opvet").CombinedOutput(); err != nil {
		return fmt.Errorf("building opvet, which takes its checkout: %w\n%s", err, out)
	}
	different := false
	for _, dir := range dirs {
		unsettled, err := compare(opvet, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		different = different || unsettled > 0
	}
	if different {
		return errors.New("differences that the whole module does not settle")
	}
	return nil
}

// finding is a diagnostic in go vet's JSON, which the command writes as well.
type finding struct {
	Posn, Message string
	Harm, Settled string // the command's
}

const hygiene = "hygiene"

// compare prints the findings that one of the drivers prints and the other does not, and
// returns how many of these nothing settles.
func compare(opvet, dir string) (unsettled int, err error) {
	alone, err := findings(dir, opvet, "-cache=off", "-harm=hygiene", "-format=json", "./...")
	if err != nil {
		return 0, err
	}
	vet, err := findings(dir, "go", "vet", "-vettool="+opvet, "-json", "./...")
	if err != nil {
		return 0, err
	}
	printed, settled := 0, 0
	tell := func(f finding, by, why string) {
		if why == "" {
			unsettled++
			why = "NOT SETTLED"
		} else {
			settled++
		}
		fmt.Printf("  only %s prints %s: %s: %s\n", by, f.Posn, f.Message, why)
	}
	for key, f := range alone {
		_, both := vet[key]
		if f.Harm != hygiene {
			printed++
		}
		switch {
		case both && f.Harm == hygiene:
			tell(f, "go vet", f.Settled)
		case !both && f.Harm != hygiene:
			tell(f, "the command", f.Settled)
		}
	}
	for key, f := range vet {
		if _, both := alone[key]; !both {
			tell(f, "go vet", "")
		}
	}
	fmt.Printf("%s: the command prints %d findings, go vet %d; %d differences are settled, %d are not\n", dir, printed, len(vet), settled, unsettled)
	return unsettled, nil
}

// findings runs a driver and returns what it finds, by place and text.
func findings(dir, name string, args ...string) (map[string]finding, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.Bytes())
	}
	// Some releases of go vet write their results to stderr, with the name of each
	// package before, as in "# example.com/p".
	out := stdout.String()
	if strings.TrimSpace(out) == "" {
		out = stderr.String()
	}
	var text bytes.Buffer
	for _, line := range strings.SplitAfter(out, "\n") {
		if !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "go: ") {
			text.WriteString(line)
		}
	}
	all := make(map[string]finding)
	for decoder := json.NewDecoder(&text); decoder.More(); {
		var tree map[string]map[string]json.RawMessage
		if err := decoder.Decode(&tree); err != nil {
			return nil, fmt.Errorf("the output of %s: %w", cmd, err)
		}
		for _, byAnalyzer := range tree {
			for _, raw := range byAnalyzer {
				var found []finding
				if json.Unmarshal(raw, &found) != nil {
					return nil, fmt.Errorf("%s: %s", cmd, raw)
				}
				for _, f := range found {
					all[f.Posn+": "+f.Message] = f
				}
			}
		}
	}
	return all, nil
}
