package plugin

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/config"
)

// configure gives the analyzers' flags the values that the user has set, and returns
// the analyzers that are to run, with what else is configured. The keys are
// those of .opvet.yml.
func configure(all []*analysis.Analyzer, raw any) ([]*analysis.Analyzer, *config.Config, error) {
	// Whatever the configuration file was written in, this makes it maps,
	// lists and scalars as of JSON.
	given, err := register.DecodeSettings[any](raw)
	if err != nil {
		return nil, nil, err
	}
	c, err := config.OfSettings(all, given)
	if err != nil {
		return nil, nil, err
	}
	enabled, err := c.Select(all)
	if err != nil {
		return nil, nil, err
	}
	return enabled, c, c.Apply(all, func(string) bool { return false })
}
