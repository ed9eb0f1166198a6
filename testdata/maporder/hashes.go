package maporder

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/fnv"
	"maps"
	"slices"
)

// textHash hashes a text that grows in the loop.
func textHash(settings map[string]bool) []byte {
	h := sha256.New()
	var text string
	for key := range settings {
		text += fmt.Sprint(key) // want `^load: the hash is another one each time.*\(maporder/into-hash\)`
	}
	h.Write([]byte(text))
	return h.Sum(nil)
}

// bufferHash hashes what a buffer holds by then.
func bufferHash(settings map[string]bool) []byte {
	var text bytes.Buffer
	for key := range settings {
		text.WriteString(key) // want `^load: the hash is another one each time`
	}
	h := sha256.New()
	h.Write(text.Bytes())
	return h.Sum(nil)
}

// Right: the keys are sorted first, the text has nothing of the entries, the hash takes
// each entry for itself, or what is written to is no hash.

func sortedHash(settings map[string]bool) []byte {
	h := sha256.New()
	var text string
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		text += key
	}
	h.Write([]byte(text))
	return h.Sum(nil)
}

func lengthHash(settings map[string]bool) []byte {
	h := sha256.New()
	var text string
	for range settings {
		text += "x"
	}
	h.Write([]byte(text))
	return h.Sum(nil)
}

// eachForItself adds up the hashes, of which the order does not matter.
func eachForItself(settings map[string]bool, fresh func() hash.Hash64) (sum uint64) {
	for key := range settings {
		h := fresh()
		h.Write([]byte(key))
		sum ^= h.Sum64()
	}
	return sum
}

// eachAnew does so with one hash.
func eachAnew(settings map[string]bool) (sum uint64) {
	h := fnv.New64()
	for key := range settings {
		h.Reset()
		h.Write([]byte(key))
		sum ^= h.Sum64()
	}
	return sum
}

// page is shown to people.
func page(settings map[string]bool) string {
	var text string
	for key := range settings {
		text += key + "\n"
	}
	var out bytes.Buffer
	out.Write([]byte(text))
	return out.String()
}

// Two hashes are compared, which are two objects whatever was written into them.

type scraper struct{ last hash.Hash64 }

func (s *scraper) update(settings map[string]bool) bool {
	h, err := hashOf(settings)
	if err != nil || s.last == h {
		return false
	}
	s.last = h
	return true
}

func hashOf(settings map[string]bool) (hash.Hash64, error) {
	h := fnv.New64()
	for key := range settings {
		if _, err := h.Write([]byte(key)); err != nil { // want `^hygiene: the hash is another one each time`
			return nil, err
		}
	}
	return h, nil
}

// The sums are compared, in another function.

type summer struct{ last uint64 }

func (s *summer) update(settings map[string]bool) bool {
	h := summedOf(settings)
	if h == nil || s.last == h.Sum64() {
		return false
	}
	s.last = h.Sum64()
	return true
}

func summedOf(settings map[string]bool) hash.Hash64 {
	h := fnv.New64()
	for key := range settings {
		h.Write([]byte(key)) // want `^load: the hash is another one each time`
	}
	return h
}
