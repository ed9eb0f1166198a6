package config

import (
	"errors"
	"path"
	"regexp"
	"strings"
)

// matcher tells whether a path, with slashes, matches a pattern.
type matcher = *regexp.Regexp

// compile turns a pattern into a matcher. It matches a file or a directory with all
// that is below: * and ? stand for parts of a name, ** for any directories.
func compile(pattern string) (matcher, error) {
	clean := strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if clean == "" || strings.Contains(pattern, `\`) || path.IsAbs(pattern) {
		return nil, errors.New("want a path with slashes from the directory of the file, such as internal/legacy or **/zz_*.go")
	}
	var b strings.Builder
	b.WriteString("^")
	for i := 0; i < len(clean); i++ {
		switch rest := clean[i:]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
	}
	b.WriteString("(?:/.*)?$")
	return regexp.Compile(b.String())
}
