package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"
)

// resolved returns what an alias stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNone(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// show words a value for an error.
func show(n *yaml.Node) string {
	switch {
	case isNone(n):
		return "(none)"
	case n.Kind == yaml.ScalarNode:
		return strconv.Quote(n.Value)
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return "of another kind"
	}
	return fmt.Sprint(value)
}

// nodeOf makes nodes, without places, of values as JSON has them.
func nodeOf(value any) *yaml.Node {
	scalar := func(tag, text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text} }
	switch value := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			n.Content = append(n.Content, scalar("!!str", key), nodeOf(value[key]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range value {
			n.Content = append(n.Content, nodeOf(item))
		}
		return n
	case string:
		return scalar("!!str", value)
	case bool:
		return scalar("!!bool", strconv.FormatBool(value))
	case float64:
		return scalar("!!float", strconv.FormatFloat(value, 'f', -1, 64))
	}
	return scalar("!!null", "")
}
