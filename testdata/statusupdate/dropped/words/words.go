// Package words has functions for lists of words, and knows nothing of Kubernetes.
package words

// Without returns a list without a word.
func Without(list []string, word string) []string {
	rest := make([]string, 0, len(list))
	for _, w := range list {
		if w != word {
			rest = append(rest, w)
		}
	}
	return rest
}
