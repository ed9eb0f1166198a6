// Package wording keeps messages short: names come from the code under
// analysis and can be long, what a message says about them must stay.
package wording

import (
	"go/types"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Max is how many characters a message may have, without its category.
const Max = 160

// The widths between which names are shortened until a message fits.
const (
	widest    = 60
	narrowest = 10
	narrower  = 2
)

// Fit words a message with its names as long as it can hold: word is called
// with a function that shortens a name, again and again, until the message has at
// most [Max] characters.
func Fit(word func(name func(string) string) string) string {
	for width := widest; ; width -= narrower {
		text := word(func(name string) string { return Tail(name, width) })
		if utf8.RuneCountInString(text) <= Max || width <= narrowest {
			return text
		}
	}
}

// index is an index or key that says less than what it is an index of.
var index = regexp.MustCompile(`\[[^][…]*[^][…\d][^][…]*\]`)

// Tail shortens a name to a width by what it begins with, since fields, methods and
// files are told apart by how they end: "…Spec.Template.Annotations", "node.Labels[…]".
func Tail(name string, width int) string {
	name = strings.Join(strings.Fields(name), " ")
	runes := []rune(name)
	if len(runes) <= width {
		return name
	}
	if short := index.ReplaceAllString(name, "[…]"); short != name {
		return Tail(short, width)
	}
	runes = runes[len(runes)-width+1:]
	// Better cut between two names than in one, if that leaves enough.
	for i, r := range runes[:len(runes)/2] {
		if r == '.' || r == '/' {
			runes = runes[i+1:]
			break
		}
	}
	return "…" + string(runes)
}

// File is the last part of a place such as "datastore/longhorn.go:3672", for
// messages that have no room for its directory.
func File(place string) string { return place[strings.LastIndexByte(place, '/')+1:] }

// TypeName names a type as code does that imports its package: "v1.Pod".
func TypeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// Duration writes a duration without zero units: 2m, not 2m0s.
func Duration(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}
