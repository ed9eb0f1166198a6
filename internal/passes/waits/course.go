package waits

import (
	"go/constant"
	"go/token"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxRounds bounds how many rounds of a loop are gone through.
const maxRounds = 1_000

// course goes through a loop round by round: what numbers are in each, as far as
// they follow from those of the round before.
type course struct {
	info  *Waits
	loop  *loops.Loop
	known map[moment]number
}

// moment is a value in one round.
type moment struct {
	v     ssa.Value
	round int
}

type number struct {
	n  float64
	ok bool
}

func (i *Waits) courseOf(loop *loops.Loop) *course {
	return &course{info: i, loop: loop, known: make(map[moment]number)}
}

// rounds returns how often the loop runs at most, if a way out that each round
// passes depends on numbers that are known.
func (c *course) rounds() (n int64, known bool) {
	for _, exit := range c.loop.Exits() {
		compare, ok := exit.Cond.(*ssa.BinOp)
		if !ok || !c.inEachRound(exit.From) {
			continue
		}
		for round := range maxRounds {
			holds, ok := c.compare(compare, round)
			if !ok {
				break
			}
			if holds == exit.When {
				// What stands before the way out is run in this round as well.
				if exit.From != c.loop.Head {
					round++
				}
				if count := int64(round); !known || count < n {
					n, known = count, true
				}
				break
			}
		}
	}
	return n, known
}

// inEachRound reports whether no round can end without passing a block.
func (c *course) inEachRound(block *ssa.BasicBlock) bool {
	return !slices.ContainsFunc(c.loop.Head.Preds, func(pred *ssa.BasicBlock) bool {
		return c.loop.Blocks[pred] && !block.Dominates(pred)
	})
}

func (c *course) compare(cond *ssa.BinOp, round int) (holds, ok bool) {
	x, okX := c.value(cond.X, round, 0)
	y, okY := c.value(cond.Y, round, 0)
	if !okX || !okY {
		return false, false
	}
	switch cond.Op {
	case token.LSS:
		return x < y, true
	case token.LEQ:
		return x <= y, true
	case token.GTR:
		return x > y, true
	case token.GEQ:
		return x >= y, true
	case token.EQL:
		return x == y, true
	case token.NEQ:
		return x != y, true
	}
	return false, false
}

// value returns what a number is in a round, counted from 0.
func (c *course) value(v ssa.Value, round, depth int) (float64, bool) {
	if v == nil || depth > 4*maxTrace {
		return 0, false
	}
	at := moment{v, round}
	if known, ok := c.known[at]; ok {
		return known.n, known.ok
	}
	n, ok := c.compute(v, round, depth+1)
	c.known[at] = number{n, ok}
	return n, ok
}

func (c *course) compute(v ssa.Value, round, depth int) (float64, bool) {
	if number, ok := v.(*ssa.Const); ok {
		if number.Value == nil || number.Value.Kind() != constant.Int && number.Value.Kind() != constant.Float {
			return 0, false
		}
		n, _ := constant.Float64Val(constant.ToFloat(number.Value))
		return n, true
	}
	if from, _ := (values.Relation{Steps: values.Converted}).Sources(v); len(from) == 1 {
		n, ok := c.value(from[0], round, depth)
		if kubeapi.IsInteger(v.Type()) {
			n = math.Trunc(n)
		}
		return n, ok
	}
	// A switch of its own: this computes what a number is in a round of the loop.
	switch v := v.(type) {
	case *ssa.BinOp:
		return c.arithmetic(v, round, depth)
	case *ssa.Phi:
		if c.loop.Blocks[v.Block()] {
			return c.merged(v, round, depth)
		}
	case *ssa.UnOp:
		if cell, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			return c.held(cell, v, round, depth)
		}
	case *ssa.Call:
		if n, ok := c.called(v, round, depth); ok {
			return n, true
		}
	}
	d, ok := c.info.upper(v, 0)
	return float64(d), ok
}

func (c *course) arithmetic(v *ssa.BinOp, round, depth int) (float64, bool) {
	x, okX := c.value(v.X, round, depth)
	y, okY := c.value(v.Y, round, depth)
	if !okX || !okY {
		return 0, false
	}
	n := 0.0
	switch v.Op {
	case token.ADD:
		n = x + y
	case token.SUB:
		n = x - y
	case token.MUL:
		n = x * y
	case token.QUO:
		if y == 0 {
			return 0, false
		}
		if n = x / y; kubeapi.IsInteger(v.Type()) {
			n = math.Trunc(n)
		}
	case token.SHL:
		n = x * math.Exp2(y)
	case token.SHR:
		n = math.Trunc(x / math.Exp2(y))
	default:
		return 0, false
	}
	return n, !math.IsInf(n, 0) && !math.IsNaN(n)
}

// merged returns the value of a variable: at the loop's head that of the round
// before, elsewhere that of the branch that is taken.
func (c *course) merged(phi *ssa.Phi, round, depth int) (float64, bool) {
	block := phi.Block()
	var from []ssa.Value
	for n, edge := range phi.Edges {
		switch {
		case block != c.loop.Head:
			if c.notTaken(block, block.Preds[n], round, depth) {
				continue
			}
		case c.loop.Blocks[block.Preds[n]] != (round > 0):
			continue
		}
		from = append(from, edge)
	}
	if block == c.loop.Head && round > 0 {
		round--
	}
	result := 0.0
	for n, v := range from {
		value, ok := c.value(v, round, depth)
		if !ok || n > 0 && value != result {
			return 0, false
		}
		result = value
	}
	return result, len(from) > 0
}

// lasts returns how long a pause at an instruction takes in a round.
func (c *course) lasts(length ssa.Value, at ssa.Instruction, round int) (float64, bool) {
	if cell, ok := length.(*ssa.Alloc); ok {
		return c.held(cell, at, round, 0)
	}
	return c.value(length, round, 0)
}

// held returns what a variable that a literal reads has at an instruction in a round:
// what that round has stored, or the one before, or what it had before the loop.
func (c *course) held(cell *ssa.Alloc, at ssa.Instruction, round, depth int) (float64, bool) {
	var before, inside *ssa.Store
	for _, ref := range *cell.Referrers() {
		store, ok := ref.(*ssa.Store)
		switch {
		case !ok:
		case c.loop.Blocks[store.Block()]:
			if inside != nil || !c.inEachRound(store.Block()) || innermost(loops.Of(c.loop.Head.Parent()), store.Block()).Head != c.loop.Head {
				return 0, false
			}
			inside = store
		case before != nil || !blocks.Precedes(store, c.loop.Head.Instrs[0]):
			return 0, false
		default:
			before = store
		}
	}
	stores := 0
	for _, store := range []*ssa.Store{before, inside} {
		if store != nil {
			stores++
		}
	}
	if stores == 0 || len(calls.StoredInto(cell)) != stores {
		return 0, false // a literal stores into it
	}
	switch {
	case inside != nil && blocks.Precedes(inside, at):
		return c.value(inside.Val, round, depth)
	case inside != nil && round > 0:
		return c.value(inside.Val, round-1, depth)
	case before != nil:
		return c.value(before.Val, 0, depth)
	}
	return 0, false
}

// notTaken reports whether the branch that decides how a block is reached goes
// another way in that round than by pred.
func (c *course) notTaken(block, pred *ssa.BasicBlock, round, depth int) bool {
	from := block.Idom()
	if from == nil || !c.loop.Blocks[from] {
		return false
	}
	branch, ok := blocks.Last(from).(*ssa.If)
	if !ok {
		return false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || depth > maxTrace*2 {
		return false
	}
	holds, ok := c.compare(cond, round)
	if !ok {
		return false
	}
	other := blocks.Side(branch, !holds)
	return pred == from && other == block || other != block && other.Dominates(pred)
}

// called returns what some functions make of numbers.
func (c *course) called(call *ssa.Call, round, depth int) (float64, bool) {
	var args []float64
	for _, arg := range call.Common().Args {
		n, ok := c.value(arg, round, depth)
		if !ok {
			return 0, false
		}
		args = append(args, n)
	}
	name := ""
	if builtin, ok := call.Common().Value.(*ssa.Builtin); ok {
		name = builtin.Name()
	} else if callee := kubeapi.Callee(call.Common()); callee != nil {
		name = kubeapi.FullName(callee)
	}
	if len(args) != 2 {
		return 0, false
	}
	switch name {
	case "min", "math.Min":
		return min(args[0], args[1]), true
	case "max", "math.Max":
		return max(args[0], args[1]), true
	case "math.Pow":
		n := math.Pow(args[0], args[1])
		return n, !math.IsInf(n, 0) && !math.IsNaN(n)
	}
	return 0, false
}
