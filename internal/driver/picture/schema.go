package picture

import (
	"encoding/json"
	"reflect"
	"strings"
)

// SchemaID is where the schema is published.
const SchemaID = "https://raw.githubusercontent.com/opvet/opvet/main/docs/map.schema.json"

type object map[string]any

// Schema returns the JSON schema of [Map], made of its fields and their tags.
func Schema() ([]byte, error) {
	definitions := object{}
	root := structSchema(reflect.TypeFor[Map](), definitions)
	root["$schema"] = "https://json-schema.org/draft-07/schema#"
	root["$id"] = SchemaID
	root["title"] = "What opvet map -format json prints"
	root["definitions"] = definitions
	properties := root["properties"].(object)
	properties["version"].(object)["const"] = Version
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

// structSchema makes the schema of a struct, and those of the structs in it.
func structSchema(t reflect.Type, definitions object) object {
	properties, required := object{}, []string{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if options != "omitempty" {
			required = append(required, name)
		}
		s := typeSchema(field.Type, field.Tag.Get("enum"), definitions)
		if ref, ok := s["$ref"]; ok {
			s = object{"allOf": []object{{"$ref": ref}}} // beside $ref, draft 7 reads nothing
		}
		s["description"] = field.Tag.Get("doc")
		properties[name] = s
	}
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func typeSchema(t reflect.Type, enum string, definitions object) object {
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem(), enum, definitions)
	case reflect.Slice:
		return object{"type": "array", "items": typeSchema(t.Elem(), enum, definitions)}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int:
		return object{"type": "integer"}
	case reflect.Struct:
		if definitions[t.Name()] == nil {
			definitions[t.Name()] = structSchema(t, definitions)
		}
		return object{"$ref": "#/definitions/" + t.Name()}
	}
	if enum != "" {
		return object{"enum": strings.Split(enum, ",")}
	}
	return object{"type": "string"}
}
