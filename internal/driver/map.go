package driver

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/picture"
)

const mapUsage = `Usage: opvet map [flags] [packages]

Draws an operator: per program its controllers, what wakes them, what they do to which kinds, and its webhooks.
The packages are those of the programs, such as ./cmd/manager, or all (./..., the default).
docs/map.md explains the picture, and docs/map.schema.json is the schema of -format json.

Flags:

`

// mapCommand is the command line of opvet map.
type mapCommand struct {
	subcommand
	suite    []*analysis.Analyzer
	focus    string
	findings bool
}

var mapFormats = []string{"mermaid", "dot", "json", "html"}

func newMapCommand(suite []*analysis.Analyzer) *mapCommand {
	c := &mapCommand{suite: suite}
	c.define("map")
	c.flags.StringVar(&c.format, "format", "mermaid", "print this `format`: mermaid (which GitHub renders), dot (for Graphviz), json, or html (one page that needs no network)")
	c.flags.StringVar(&c.focus, "focus", "", "draw this `kind` and the controllers that concern it, or this controller")
	c.flags.BoolVar(&c.findings, "findings", false, "run the analyzers, too, and put their findings into json; html always has them")
	return c
}

func runMap(args []string, suite []*analysis.Analyzer, stdout, stderr io.Writer) error {
	c := newMapCommand(suite)
	if done, err := c.parse(args, mapUsage, mapFormats, strings.Join(mapFormats, ", "), stdout); done || err != nil {
		return err
	}
	drawn, problems, err := c.load(stderr)
	if err != nil {
		return err
	}
	if c.focus != "" {
		if err := drawn.Focus(c.focus); err != nil {
			return err
		}
	}
	left := ""
	switch c.format {
	case "mermaid":
		left, err = picture.Mermaid(stdout, drawn)
	case "dot":
		err = picture.DOT(stdout, drawn)
	case "json":
		err = picture.JSON(stdout, drawn)
	case "html":
		err = picture.HTML(stdout, drawn, moduleVersion())
	}
	if err != nil {
		return err
	}
	if left != "" {
		fmt.Fprintf(stderr, "opvet: %s\n", left)
	}
	return tellProblems(stderr, problems)
}

// load analyses the packages and makes the map of them.
func (c *mapCommand) load(stderr io.Writer) (*picture.Map, []string, error) {
	analyzers, err := c.analyzers()
	if err != nil {
		return nil, nil, err
	}
	paceGC()
	progress := startProgress(stderr)
	defer progress.stop()
	progress.phase(loadingPackages)
	program, err := untilInterrupted(Load, LoadOptions{Patterns: c.flags.Args(), Tags: c.tags})
	if err != nil {
		return nil, nil, err
	}
	progress.analysing(program)
	model := newMapModel(program)
	result, err := program.Analyze(append(analyzers.enabledAnalyzers(), model.collector()))
	if err != nil {
		return nil, nil, err
	}
	analyzers.exclude(result)
	drawn := model.draw()
	if len(drawn.Programs) == 0 {
		return nil, nil, nothingFound("the packages make no controllers, webhooks or managers", result.Problems)
	}
	model.addFindings(drawn, result.Findings)
	return drawn, result.Problems, nil
}

// analyzers returns a command line with the analyzers whose findings are wanted, as the
// file of settings has them; without findings, it has none.
func (c *mapCommand) analyzers() (*command, error) {
	if !c.findings && c.format != "html" {
		return newCommand(nil), nil
	}
	cmd := newCommand(c.suite)
	return cmd, cmd.configure()
}
