package picture

import (
	"encoding/json"
	"io"
)

// JSON writes the map itself; see [Schema].
func JSON(out io.Writer, m *Map) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(m)
}

// Same reports whether two uses differ in their places at most.
func (u Use) Same(v Use) bool {
	u.At, v.At = nil, nil
	return u == v
}
