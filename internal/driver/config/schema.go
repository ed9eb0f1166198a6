package config

import (
	"encoding/json"
	"flag"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/settings"
	"github.com/opvet/opvet/internal/report/rule"
)

// SchemaID is where the schema is published.
const SchemaID = "https://raw.githubusercontent.com/opvet/opvet/main/docs/opvet.schema.json"

// object is one of JSON.
type object map[string]any

// Schema returns the JSON schema of the file, for editors.
func Schema(all []*analysis.Analyzer) ([]byte, error) {
	properties := object{}
	for _, k := range fileKeys {
		s := k.schema(all)
		s["description"] = k.doc
		properties[k.name] = s
	}
	data, err := json.MarshalIndent(object{
		"$schema":              "https://json-schema.org/draft-07/schema#",
		"$id":                  SchemaID,
		"title":                ".opvet.yml, the configuration of opvet",
		"type":                 []string{"object", "null"},
		"additionalProperties": false,
		"properties":           properties,
	}, "", "  ")
	return append(data, '\n'), err
}

func listSchema(item object) object {
	return object{"type": []string{"array", "null"}, "items": item}
}

func namesSchema(all []*analysis.Analyzer) object {
	return listSchema(object{"enum": settings.Words(all)})
}

func textSchema([]*analysis.Analyzer) object { return object{"type": "string", "minLength": 1} }

func textsSchema([]*analysis.Analyzer) object { return listSchema(textSchema(nil)) }

func boolSchema([]*analysis.Analyzer) object { return object{"type": "boolean"} }

func harmSchema([]*analysis.Analyzer) object {
	var names []string
	for _, h := range rule.Harms() {
		names = append(names, h.String())
	}
	return object{"enum": names}
}

func flagsSchema(all []*analysis.Analyzer) object {
	analyzers := object{}
	for _, a := range all {
		flags := object{}
		a.Flags.VisitAll(func(f *flag.Flag) {
			_, usage := flag.UnquoteUsage(f)
			s := flagSchema(f)
			s["description"] = usage
			flags[f.Name] = s
		})
		analyzers[a.Name] = object{
			"description": rule.Of(a).Summary, "type": []string{"object", "null"},
			"additionalProperties": false, "properties": flags,
		}
	}
	return object{"type": []string{"object", "null"}, "additionalProperties": false, "properties": analyzers}
}

func flagSchema(f *flag.Flag) object {
	if getter, ok := f.Value.(flag.Getter); ok {
		switch getter.Get().(type) {
		case bool:
			return object{"type": "boolean"}
		case rule.Harm:
			return harmSchema(nil)
		case int, int64, uint, uint64:
			return object{"type": "integer"}
		case float64:
			return object{"type": "number"}
		}
	}
	return object{"type": []string{"string", "number", "boolean"}}
}

func exclusionsSchema(all []*analysis.Analyzer) object {
	rules := settings.Words(all)
	for _, a := range all {
		for _, c := range rule.Of(a).Categories {
			rules = append(rules, a.Name+"/"+c.Name)
		}
	}
	return listSchema(object{
		"type": "object", "additionalProperties": false, "required": []string{"path", "reason"},
		"properties": object{
			"path":   object{"type": "string", "minLength": 1, "description": "A file, or a directory with all that is below, from the directory of this file; *, ? and ** are wildcards."},
			"reason": object{"type": "string", "minLength": 1, "description": "Why findings there are left out."},
			"rules":  object{"type": []string{"array", "null"}, "items": object{"enum": rules}, "description": "Analyzers, groups and categories; without it, all."},
		},
	})
}
