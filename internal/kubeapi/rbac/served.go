package rbac

import (
	"maps"
	"slices"
	"sync"
)

var resourcesOf = sync.OnceValue(func() map[string][]string {
	table := make(map[string][]string)
	for key, r := range known() {
		table[key.group] = append(table[key.group], r.Name)
	}
	for _, resources := range table {
		slices.Sort(resources)
	}
	return table
})

// settled are groups of Kubernetes' own that have lost no resource.
var settled = map[string]bool{"": true, "apps": true, "batch": true, "autoscaling": true, "networking.k8s.io": true, "rbac.authorization.k8s.io": true, "coordination.k8s.io": true, "storage.k8s.io": true}

// Meant returns what is meant by a resource that none of the groups has, and that nothing
// has ever been granted by: the group that has it, or the resource that it is a
// misspelling of. It returns nothing where the groups have it, or may.
func Meant(groups []string, resource string) (group, name string, ok bool) {
	for _, g := range groups {
		if !settled[g] || slices.Contains(resourcesOf()[g], resource) {
			return "", "", false
		}
	}
	if resource == "bindings" || len(groups) == 0 {
		return "", "", false
	}
	for _, g := range slices.Sorted(maps.Keys(settled)) {
		if slices.Contains(resourcesOf()[g], resource) {
			return g, resource, true
		}
	}
	for _, g := range groups {
		for _, r := range resourcesOf()[g] {
			if Guess(resource) == r || len(resource) > 2 && distance(resource, r) <= max(1, len(r)/8) {
				return g, r, true
			}
		}
	}
	return "", "", false
}

// distance is how many letters have to be changed, added or left out.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
