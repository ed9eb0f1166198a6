package blockedsends

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
)

// counted reports whether a receive only takes what is in the channel already: it is
// behind a look at its length, or in a loop with as many rounds.
func (s *sends) counted(recv *ssa.UnOp) bool {
	return s.Graph.Everywhere(recv, func(at *calls.Site) bool {
		ch := at.Value(recv.X)
		for block := at.Block(); block != nil; block = block.Idom() {
			if onlyIfSome(block, func(v ssa.Value) bool { return s.isLength(v, ch, 0) }) {
				return true
			}
		}
		return false
	})
}

// maxHanded bounds the calls that a channel is handed down through.
const maxHanded = 12

// isLength reports whether v is the length of a channel, or is handed to a function
// beside the channel and is that there.
func (s *sends) isLength(v, ch ssa.Value, depth int) bool {
	v, ch = s.Graph.Origin(v), s.Graph.Origin(ch)
	if of := calls.LengthOf(v); of != nil {
		return sameChannel(s.Graph.Origin(of), ch)
	}
	param, ok := v.(*ssa.Parameter)
	of, both := ch.(*ssa.Parameter)
	if !ok || !both || param.Parent() != of.Parent() || depth > maxHanded {
		return false
	}
	lengths, known := s.Graph.HandedOver(param)
	chans, _ := s.Graph.HandedOver(of)
	for i, length := range lengths {
		if i >= len(chans) || !s.isLength(length, chans[i], depth+1) {
			return false
		}
	}
	return known
}

// onlyIfSome reports whether all ways into a block are taken only if there is
// something in the channel.
func onlyIfSome(block *ssa.BasicBlock, isLength func(ssa.Value) bool) bool {
	for _, from := range block.Preds {
		branch, ok := blocks.Last(from).(*ssa.If)
		if !ok {
			return false
		}
		if cond, ok := branch.Cond.(*ssa.BinOp); !ok || !saysSome(cond, isLength, from.Succs[0] == block) {
			return false
		}
	}
	return len(block.Preds) > 0
}

// saysSome reports whether a comparison, which is or is not true, tells that there is
// something in a channel: its length is more than nothing, or more than the number
// of rounds that a loop has had.
func saysSome(cond *ssa.BinOp, isLength func(ssa.Value) bool, truth bool) bool {
	length, other, op := cond.X, cond.Y, cond.Op
	if !isLength(length) {
		length, other, op = cond.Y, cond.X, mirrored[cond.Op]
	}
	if !isLength(length) {
		return false
	}
	if !truth {
		op = opposite[op]
	}
	if isNumber(other, 0) {
		return op == token.GTR || op == token.NEQ
	}
	return isNumber(other, 1) && op == token.GEQ || op == token.GTR && counts(other)
}

var mirrored = map[token.Token]token.Token{
	token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ, token.EQL: token.EQL, token.NEQ: token.NEQ,
}

var opposite = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.GEQ: token.LSS, token.LEQ: token.GTR, token.GTR: token.LEQ, token.EQL: token.NEQ, token.NEQ: token.EQL,
}

// sameChannel reports whether two values are one channel: the same value, or loads
// of one variable.
func sameChannel(a, b ssa.Value) bool {
	return calls.Behind(a) == calls.Behind(b) || calls.SameRead(a, b)
}

func isNumber(v ssa.Value, n int64) bool {
	k, ok := blocks.Number(v)
	return ok && k == n
}

// counts reports whether a number is that of the rounds of a loop, or the next one.
func counts(v ssa.Value) bool {
	if sum, ok := v.(*ssa.BinOp); ok && sum.Op == token.ADD {
		v = sum.X
	}
	phi, ok := v.(*ssa.Phi)
	return ok && slices.ContainsFunc(loops.Of(phi.Parent()), func(loop *loops.Loop) bool { return loop.Head == phi.Block() })
}
