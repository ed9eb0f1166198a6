package settings

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns that of the names which a misspelt one was surely meant to be, or
// "": the one that the least slips of the pen make of it, or the only one that
// begins with it, or nearly so.
func Nearest(name string, names []string) string {
	lower := strings.ToLower(name)
	best, least := "", max(1, len(name)/3)+1
	for _, candidate := range names {
		if d := slips(lower, strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	if best != "" || len(name) < 3 {
		return best
	}
	for _, most := range []int{0, 1} {
		begins := slices.DeleteFunc(slices.Clone(names), func(candidate string) bool { return slipsAtFirst(lower, strings.ToLower(candidate)) > most })
		if len(begins) == 1 {
			return begins[0]
		}
	}
	return ""
}

// slipsAtFirst counts the slips between a name and what another, longer one begins with.
func slipsAtFirst(name, longer string) int {
	least := len(name)
	for n := len(name) - 1; n <= min(len(name)+1, len(longer)); n++ {
		least = min(least, slips(name, longer[:n]))
	}
	return least
}

// orElse says which name is the nearest, or else what there is.
func orElse(name string, names []string, listing string) string {
	if right := Nearest(name, names); right != "" {
		return fmt.Sprintf("did you mean %s?", right)
	}
	return listing
}

// slips counts the letters that one name has more, less, other or exchanged.
func slips(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			other := 1
			if a[i-1] == b[j-1] {
				other = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+other)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
