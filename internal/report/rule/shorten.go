package rule

import "unicode/utf8"

// Shorten cuts what code calls something to at most n characters, so that a
// message which quotes it stays short.
func Shorten(name string, n int) string {
	if utf8.RuneCountInString(name) <= n {
		return name
	}
	return string([]rune(name)[:n-1]) + "…"
}
