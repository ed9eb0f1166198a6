package plugin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/settings"
)

// keys are those of the settings.
var keys = []string{"disable", "enable", "harm", "settings", "tests"}

// configure gives the analyzers' flags the values that the user has set, and returns
// the analyzers that are to run.
func configure(all []*analysis.Analyzer, raw any) ([]*analysis.Analyzer, error) {
	// Whatever the configuration file was written in, this makes it maps,
	// lists and scalars as of JSON.
	config, err := register.DecodeSettings[any](raw)
	if err != nil {
		return nil, err
	}
	given, ok := section(config)
	if !ok {
		return nil, fmt.Errorf("want the keys %s, not %s", strings.Join(keys, ", "), show(config))
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(keys, key) {
			return nil, fmt.Errorf("%s: no such setting; there are %s", key, strings.Join(keys, ", "))
		}
	}
	enable, err := list("enable", given["enable"])
	if err != nil {
		return nil, err
	}
	disable, err := list("disable", given["disable"])
	if err != nil {
		return nil, err
	}
	enabled, err := settings.Select(all, enable, disable)
	if err != nil {
		return nil, err
	}
	if tests, ok := given["tests"]; ok {
		if err := setTests(all, tests); err != nil {
			return nil, err
		}
	}
	if harm, ok := given["harm"]; ok {
		if err := setHarm(all, harm); err != nil {
			return nil, err
		}
	}
	return enabled, setFlags(all, given["settings"])
}

// setHarm sets the flag of that name of all analyzers.
func setHarm(all []*analysis.Analyzer, value any) error {
	name, ok := value.(string)
	if !ok {
		return fmt.Errorf("harm: bad value %s: want the name of a harm, such as load", show(value))
	}
	return settings.SetHarm(all, name, settings.None)
}

// setTests sets the flag of that name of each analyzer that has one.
func setTests(all []*analysis.Analyzer, value any) error {
	on, ok := value.(bool)
	if !ok {
		return fmt.Errorf("tests: bad value %s: want true or false", show(value))
	}
	return settings.SetAll(all, "tests", strconv.FormatBool(on), settings.None)
}

// setFlags sets the flags of single analyzers.
func setFlags(all []*analysis.Analyzer, value any) error {
	byAnalyzer, ok := section(value)
	if !ok {
		return fmt.Errorf("settings: bad value %s: want analyzers with their flags", show(value))
	}
	for _, analyzer := range slices.Sorted(maps.Keys(byAnalyzer)) {
		path := "settings." + analyzer
		if _, err := settings.Lookup(all, analyzer); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		flags, ok := section(byAnalyzer[analyzer])
		if !ok {
			return fmt.Errorf("%s: bad value %s: want flags with their values", path, show(byAnalyzer[analyzer]))
		}
		for _, flag := range slices.Sorted(maps.Keys(flags)) {
			text, ok := scalar(flags[flag])
			if !ok {
				return fmt.Errorf("%s.%s: bad value %s: want a single value", path, flag, show(flags[flag]))
			}
			if err := settings.Set(all, analyzer+"."+flag, text); err != nil {
				return fmt.Errorf("settings.%w", err)
			}
		}
	}
	return nil
}

// section returns the keys and values under a key, which may be none.
func section(value any) (map[string]any, bool) {
	if value == nil {
		return nil, true
	}
	keys, ok := value.(map[string]any)
	return keys, ok
}

// list returns the words of a list.
func list(path string, value any) ([]string, error) {
	if value == nil {
		return nil, nil
	}
	items, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: bad value %s: want a list of analyzers and groups", path, show(value))
	}
	var words []string
	for i, item := range items {
		word, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("%s[%d]: bad value %s: want the name of an analyzer or group", path, i, show(item))
		}
		words = append(words, word)
	}
	return words, nil
}

// scalar returns a value as it is written on the command line.
func scalar(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case bool:
		return strconv.FormatBool(value), true
	case float64: // as JSON has all numbers
		return strconv.FormatFloat(value, 'f', -1, 64), true
	}
	return "", false
}

// show words a value for an error.
func show(value any) string {
	if value == nil {
		return "(none)"
	}
	if text, ok := scalar(value); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(value)
}
