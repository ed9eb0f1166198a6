package paths

import "sort"

// facts has what is known of values: for each value of which something is
// known, in the order of their indexes, three bytes of index and one of truth.
// It is a string so that states can be compared.
type facts string

const factSize = 4

func (f facts) at(i int) (index int, t Truth) {
	e := f[i*factSize : i*factSize+factSize]
	return int(e[0])<<16 | int(e[1])<<8 | int(e[2]), Truth(e[3])
}

// find returns the position of the first fact about a value with that index or
// a greater one.
func (f facts) find(index int) int {
	return sort.Search(len(f)/factSize, func(i int) bool {
		at, _ := f.at(i)
		return at >= index
	})
}

// of returns what is known of the value with that index.
func (f facts) of(index int) Truth {
	if i := f.find(index); i < len(f)/factSize {
		if at, t := f.at(i); at == index {
			return t
		}
	}
	return Unknown
}

// with returns the facts with another truth of a value.
func (f facts) with(index int, t Truth) facts {
	i := f.find(index)
	rest := f[i*factSize:]
	if len(rest) > 0 {
		if at, _ := f.at(i); at == index {
			rest = rest[factSize:]
		}
	}
	changed := make([]byte, 0, i*factSize+factSize+len(rest))
	changed = append(changed, f[:i*factSize]...)
	if t != Unknown {
		changed = append(changed, byte(index>>16), byte(index>>8), byte(index), byte(t))
	}
	return facts(append(changed, rest...))
}

// only returns the facts about the values that keep holds for.
func (f facts) only(keep func(index int) bool) facts {
	for i := range len(f) / factSize {
		if index, _ := f.at(i); keep(index) {
			continue
		}
		kept := append(make([]byte, 0, len(f)), f[:i*factSize]...)
		for i++; i < len(f)/factSize; i++ {
			if index, _ := f.at(i); keep(index) {
				kept = append(kept, f[i*factSize:i*factSize+factSize]...)
			}
		}
		return facts(kept)
	}
	return f
}
