package cleanups

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/wording"
)

// leaks says what stays behind if a clean-up fails: "the bucket leaks" of
// DeleteBucket.
func (u *unit) leaks(call *ssa.Call, r subject.Change) string {
	if kind := u.DeletedKind(call); kind != nil {
		return "the " + subject.KindName(kind) + " leaks"
	}
	thing := thingOf(subject.CalleeName(call))
	switch {
	case thing == "", r.Type != nil && strings.EqualFold(thing, r.Type.Obj().Name()):
		return "what it cleans up leaks"
	case isPlural(thing):
		return "the " + wording.Tail(thing, 30) + " leak"
	}
	return "the " + wording.Tail(thing, 30) + " leaks"
}

// thingOf is what the name of a function says that it takes away: "external
// resources" of deleteExternalResources, "DNS record" of RemoveDNSRecordFor.
func thingOf(name string) string {
	words := camelWords(name)
	for len(words) > 0 && (kubeapi.IsCleaningName(words[0]) || particles[strings.ToLower(words[0])]) {
		words = words[1:]
	}
	if end := slices.IndexFunc(words, func(w string) bool { return prepositions[strings.ToLower(w)] }); end >= 0 {
		words = words[:end]
	}
	for i, word := range words {
		if len(word) == 1 || !unicode.IsUpper(rune(word[1])) {
			words[i] = strings.ToLower(word)
		}
	}
	return strings.Join(words, " ")
}

// particles follow a verb, and prepositions what it takes away.
var (
	particles    = map[string]bool{"up": true, "down": true, "and": true, "all": true, "the": true, "own": true, "any": true}
	prepositions = map[string]bool{
		"if": true, "for": true, "from": true, "in": true, "on": true, "of": true, "with": true, "by": true, "and": true, "when": true, "to": true,
		"at": true, "before": true, "after": true, "during": true, "via": true, "using": true, "as": true, "context": true, "request": true, "async": true,
	}
)

// camelWords splits a name in camel case: "DNS", "Record" of DNSRecord.
func camelWords(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && runes[i] != '_' && runes[i-1] != '_' {
			if !startsWord(runes, i) {
				continue
			}
		}
		if word := strings.Trim(string(runes[start:i]), "_"); word != "" {
			words = append(words, word)
		}
		start = i
	}
	return words
}

func startsWord(name []rune, i int) bool {
	switch {
	case !unicode.IsUpper(name[i]):
		return false
	case !unicode.IsUpper(name[i-1]):
		return true
	case i+1 == len(name) || !unicode.IsLower(name[i+1]):
		return false
	}
	plural := name[i+1] == 's' && (i+2 == len(name) || unicode.IsUpper(name[i+2])) // PVCs
	return !plural
}

// isPlural reports whether a thing is several, for the verb.
func isPlural(thing string) bool {
	for _, end := range []string{"ss", "us", "is"} {
		if strings.HasSuffix(thing, end) {
			return false
		}
	}
	return strings.HasSuffix(thing, "s")
}
