package vars

import "encoding/json"

type document struct{ Names []string }

// Document describes the settings.
func Document(settings map[string]string) string {
	text, err := json.Marshal(describe(settings))
	if err != nil {
		return ""
	}
	return string(text)
}

func describe(settings map[string]string) *document {
	doc := &document{}
	for name := range settings {
		doc.Names = append(doc.Names, name)
	}
	return doc
}
