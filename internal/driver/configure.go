package driver

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/config"
	"github.com/opvet/opvet/internal/driver/settings"
)

// noConfig is the value of the flag -config for no file at all.
const noConfig = "none"

// configure completes the command line with the file of settings. What is said on
// the command line counts more.
func (c *command) configure() error {
	if err := c.readConfig(); err != nil {
		return err
	}
	if err := c.checkOutputs(); err != nil {
		return err
	}
	if c.isSet("test") && c.tests {
		if err := settings.SetAll(c.analyzers, "tests", "true", settings.None); err != nil {
			return err
		}
	}
	if c.harm.given() {
		return settings.SetHarm(c.analyzers, c.harm.String(), func(a *analysis.Analyzer) bool { return c.isSet(a.Name + ".harm") })
	}
	return nil
}

// readConfig finds and applies the file of settings.
func (c *command) readConfig() error {
	name, found := c.configFile, true
	switch name {
	case noConfig:
		return nil
	case "":
		if name, found = config.Find(workingDir()); !found {
			return nil
		}
		name = relative(name)
	}
	file, err := config.Load(c.analyzers, name)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	c.config = file
	if c.configured, err = file.Select(c.analyzers); err != nil {
		return fmt.Errorf("settings: %s: %w", name, err)
	}
	given := func(flag string) bool {
		return c.isSet(flag) || c.harm.given() && strings.HasSuffix(flag, ".harm") || c.isSet("test") && strings.HasSuffix(flag, ".tests")
	}
	if err := file.Apply(c.analyzers, given); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return c.takeOver(name, file)
}

// takeOver gives the command's own flags, where they were not given, the values of
// the file.
func (c *command) takeOver(name string, file *config.Config) error {
	if !c.isSet("sort") {
		c.order = order(file.Sort)
	}
	if !c.isSet("test") {
		c.tests = file.Tests()
	}
	if !c.isSet("tags") {
		c.tags = strings.Join(file.Tags, ",")
	}
	if len(c.outputs) > 0 {
		return nil
	}
	for _, text := range file.Formats {
		format, to, toFile := strings.Cut(text, "=")
		if c.diff && !toFile {
			continue // the diff goes there
		}
		if toFile && to != "" {
			text = format + "=" + file.Path(to)
		}
		if err := c.outputs.Set(text); err != nil {
			return fmt.Errorf("settings: %s: format: %w", name, err)
		}
	}
	return nil
}

// exclude takes the findings out that lie where the settings exclude them.
func (c *command) exclude(r *Result) {
	if c.config == nil {
		return
	}
	excluded := func(f Finding) bool {
		return c.config.Excludes(f.Analyzer, f.Diagnostic.Category, f.Posn.Filename) != nil
	}
	r.Findings = slices.DeleteFunc(r.Findings, excluded)
	r.Harmless = slices.DeleteFunc(r.Harmless, excluded)
}
