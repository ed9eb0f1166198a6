package paths

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Carrier follows along a path which variables and values hold what a rule is
// after, such as a certain error: it knows what assignments, merges and
// conversions make of it, and the rule tells the rest.
type Carrier struct {
	// Label tells what an instruction makes: the variable or value that holds
	// something from here on, and what. of has what a value holds before. If
	// ok is false, the instruction is taken for what it is.
	Label func(instr ssa.Instruction, of func(ssa.Value) Label) (v ssa.Value, label Label, ok bool)
	// Other is what values hold that have not been seen on the path.
	Other func(ssa.Value) Label

	names    []ssa.Value
	overflow bool
}

// Label is what a value holds; 0 is nothing that matters.
type Label uint8

// maxLabel bounds what a Carrier can tell apart, and maxCarried what it
// follows; beyond that it says that it has lost the thread.
const (
	maxLabel   = 3
	labelBits  = 2
	maxCarried = 31
)

// Held has the labels of all values at one point of a path; it is part of a
// search's stage.
type Held uint64

// Lost reports whether there were too many values to follow: then nothing is
// certain.
func (c *Carrier) Lost() bool { return c.overflow }

// Hold labels a value.
func (c *Carrier) Hold(held Held, v ssa.Value, label Label) Held {
	index := slices.Index(c.names, v)
	if index < 0 {
		if label == c.other(v) {
			return held
		}
		if len(c.names) == maxCarried {
			c.overflow = true
			return held
		}
		index = len(c.names)
		c.names = append(c.names, v)
	}
	shift := index * labelBits
	// What was not seen has the value of Other, so a name is set from its first use.
	return held&^(maxLabel<<shift) | Held(label^c.other(v))<<shift
}

// Of returns the label of a value.
func (c *Carrier) Of(held Held, v ssa.Value) Label {
	index := slices.Index(c.names, v)
	if index < 0 {
		return c.other(v)
	}
	return Label(held>>(index*labelBits))&maxLabel ^ c.other(v)
}

func (c *Carrier) other(v ssa.Value) Label {
	if _, isConst := v.(*ssa.Const); isConst || c.Other == nil {
		return 0
	}
	return c.Other(v) & maxLabel
}

// Step returns what is held after a node.
func (c *Carrier) Step(n *Node, known Known, held Held) Held {
	if n.Joins != nil {
		return held
	}
	of := func(v ssa.Value) Label { return c.Of(held, v) }
	if v, label, ok := c.Label(n.Instr, of); ok {
		return c.Hold(held, v, label)
	}
	switch instr := n.Instr.(type) {
	case *ssa.Return:
		n.eachReturned(func(result, returned ssa.Value) { held = c.Hold(held, result, of(returned)) })
		return held
	case *ssa.Phi:
		if in := known.Incoming(instr); in != nil {
			return c.Hold(held, instr, of(in))
		}
	case *ssa.Alloc:
		return c.Hold(held, instr, 0)
	case *ssa.Store:
		if cell := Cell(instr.Addr); cell != nil {
			return c.Hold(held, cell, of(instr.Val))
		}
	case *ssa.UnOp:
		if instr.Op == token.MUL {
			if cell := Cell(instr.X); cell != nil {
				return c.Hold(held, instr, of(cell))
			}
		}
	case *ssa.ChangeInterface:
		return c.Hold(held, instr, of(instr.X))
	case *ssa.MakeInterface:
		return c.Hold(held, instr, of(instr.X))
	}
	return held
}
