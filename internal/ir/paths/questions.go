package paths

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Code asks one thing several times: whether an error says that something is not
// there, whether a field is nil, whether it has a certain value. Each time another
// value of the SSA form has the answer, and it is the same one as long as nothing
// changes what is asked about.

// questions are what the conditions of a graph ask more than once.
type questions struct {
	asked  map[ssa.Value]asking
	size   int   // how many questions there are
	others []int // by question: those of which one at most is answered with yes, by a number of their own
	// changes has the questions whose answers an instruction makes unknown.
	changes map[ssa.Instruction][]int
	// sets has what a store makes of answers.
	sets map[*ssa.Store][]setting
	// errors are the errors that a call tells the kind of.
	errors map[*ssa.Call]ssa.Value
	// joins are, by question, the joins behind which it is asked again; nil if that is done in
	// literals as well.
	joins []map[*ssa.BasicBlock]bool
}

// asking is a value that answers a question, or says the contrary.
type asking struct {
	question int
	contrary bool
}

// setting is what a store makes of an answer: a certain one, or what is known of
// the value.
type setting struct {
	question int
	answer   Truth
	value    ssa.Value
}

// maxQuestions bounds the questions of one graph: each keeps states apart.
const maxQuestions = 32

// subject is what is asked about: a value, or a part of an object that is read
// anew each time.
type subject struct {
	key   string
	place Place
	read  bool // a part of an object
}

// query is one place where something is asked.
type query struct {
	v        ssa.Value
	key      string
	group    string // of which one answer at most is yes
	contrary bool
	subjects []subject
	about    constant.Value // what a part is compared with
	nilness  bool           // asks whether a part is nil, or a boolean
}

// findQuestions finds what is asked at least twice, and once by a condition.
func findQuestions(g *Graph, tested func(ssa.Value) bool) *questions {
	q := &questions{asked: make(map[ssa.Value]asking), changes: make(map[ssa.Instruction][]int), sets: make(map[*ssa.Store][]setting), errors: make(map[*ssa.Call]ssa.Value)}
	f := &inquirer{graph: g, resolve: NewResolver(g.calls, nil)}
	byKey := make(map[string][]query)
	var order []string
	seen := make(map[ssa.Value]bool)
	stores := make(map[string][]query)
	for _, n := range g.Nodes {
		if store, ok := n.Instr.(*ssa.Store); ok {
			if addr, ok := store.Addr.(*ssa.FieldAddr); ok {
				if s, ok := f.subject(addr); ok {
					key := strings.TrimPrefix(s.key, "&")
					stores[key] = append(stores[key], query{v: addr, subjects: []subject{s}})
				}
			}
		}
		v, ok := n.Instr.(ssa.Value)
		if !ok || n.Joins != nil || seen[v] {
			continue
		}
		seen[v] = true
		asked, ok := f.query(v)
		if !ok {
			continue
		}
		if call, ok := v.(*ssa.Call); ok {
			if err := errorAsked(call); err != nil {
				q.errors[call] = err
			}
		}
		if byKey[asked.key] == nil {
			order = append(order, asked.key)
		}
		byKey[asked.key] = append(byKey[asked.key], asked)
	}
	var kept []query
	groups := make(map[string]int)
	byGroup := make(map[string][]query)
	for _, key := range order {
		for _, asked := range byKey[key] {
			byGroup[asked.group] = append(byGroup[asked.group], asked)
		}
	}
	for _, key := range order {
		list := byKey[key]
		if name := list[0].group; q.size == maxQuestions || !isAskedAgain(list, list, tested) && !isSet(list, stores, tested) && (name == "" || !isAskedAgain(list, byGroup[name], tested)) {
			continue
		}
		group := -1
		if name := list[0].group; name != "" {
			if _, ok := groups[name]; !ok {
				groups[name] = len(groups)
			}
			group = groups[name]
		}
		for _, asked := range list {
			q.asked[asked.v] = asking{q.size, asked.contrary}
		}
		q.others = append(q.others, group)
		q.joins = append(q.joins, nil)
		kept = append(kept, list[0])
		q.size++
	}
	if q.size == 0 {
		return q
	}
	f.findChanges(q, kept)
	for i := range kept {
		asked := q.blocksOf(i)
		if !slices.ContainsFunc(asked, func(block *ssa.BasicBlock) bool { return block.Parent() != g.Fn }) {
			q.joins[i] = joinsBefore(asked, nil)
		}
	}
	return q
}

// errorAsked returns the error that a call tells the kind of, or nil. What is nil for errors
// of a kind tells that as well: client.IgnoreNotFound.
func errorAsked(call *ssa.Call) ssa.Value {
	if call.Call.IsInvoke() || len(call.Call.Args) == 0 || !kubeapi.IsError(call.Call.Args[0].Type()) {
		return nil
	}
	switch kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) {
	case kubeapi.TellsNotFound, kubeapi.TellsErrorKind, kubeapi.IgnoresErrorKind:
		return call.Call.Args[0]
	}
	return nil
}

// isAskedAgain reports whether one of the others is asked where one of the list has been
// answered, or the other way round.
func isAskedAgain(list, others []query, tested func(ssa.Value) bool) bool {
	leads := func(from, to []query) bool {
		for _, a := range from {
			if tested(a.v) && slices.ContainsFunc(to, func(b query) bool { return a.v != b.v && a.leadsTo(b) }) {
				return true
			}
		}
		return false
	}
	return leads(list, others) || leads(others, list)
}

// isSet reports whether one of the list is asked where what it is about has been stored.
func isSet(list []query, stores map[string][]query, tested func(ssa.Value) bool) bool {
	for _, asked := range list {
		if len(asked.subjects) != 1 || !asked.nilness && asked.about == nil || !tested(asked.v) {
			continue
		}
		for _, store := range stores[asked.subjects[0].key] {
			if store.v.(ssa.Instruction).Block() == asked.v.(ssa.Instruction).Block() || store.leadsTo(asked) {
				return true
			}
		}
	}
	return false
}

// leadsTo reports whether another question may be asked after this one has been answered,
// and answered with yes if it is another one. What is asked about must still be the same.
func (a query) leadsTo(b query) bool {
	from, to := a.v.(ssa.Instruction).Block(), b.v.(ssa.Instruction).Block()
	if from.Parent() != to.Parent() {
		return true
	}
	after := from.Succs
	if branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If); ok && branch.Cond == a.v && a.key != b.key {
		after = from.Succs[:1]
		if a.contrary {
			after = from.Succs[1:]
		}
	}
	var remade []*ssa.BasicBlock
	for _, s := range a.subjects {
		for _, v := range []ssa.Value{s.place.Object.Root, s.place.Object.Index} {
			if made, ok := v.(ssa.Instruction); ok && made.Block() != to {
				remade = append(remade, made.Block())
			}
		}
	}
	return blocks.LeadAround(after, to, remade...)
}

// blocksOf returns the blocks in which a question, or another one of its group, is asked.
func (q *questions) blocksOf(question int) []*ssa.BasicBlock {
	var found []*ssa.BasicBlock
	for v, asked := range q.asked {
		if asked.question != question && (q.others[question] < 0 || q.others[asked.question] != q.others[question]) {
			continue
		}
		found = append(found, v.(ssa.Instruction).Block())
		eachUse(v, 0, func(use ssa.Instruction) { found = append(found, use.Block()) })
	}
	return found
}

// joinsBefore returns the blocks with several predecessors from which one of these is
// reached, or which is one, without passing another one.
func joinsBefore(wanted []*ssa.BasicBlock, but *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	joins := make(map[*ssa.BasicBlock]bool)
	before := func(block *ssa.BasicBlock) []*ssa.BasicBlock {
		if block == but {
			return nil
		}
		return block.Preds
	}
	for block := range blocks.Walk(before, wanted...) {
		if block != but && len(block.Preds) > 1 {
			joins[block] = true
		}
	}
	return joins
}

// inquirer finds out what values ask.
type inquirer struct {
	graph   *Graph
	resolve *Resolver
}

func (f *inquirer) query(v ssa.Value) (query, bool) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return f.nilness(v)
		}
	case *ssa.Field:
		return f.nilness(v)
	case *ssa.BinOp:
		return f.comparison(v)
	case *ssa.Call:
		return f.call(v)
	}
	return query{}, false
}

// nilness is the question whether a part of an object is nil, or true.
func (f *inquirer) nilness(v ssa.Value) (query, bool) {
	switch t := v.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice:
	case *types.Basic:
		if t.Kind() != types.Bool {
			return query{}, false
		}
	default:
		return query{}, false
	}
	s, ok := f.subject(v)
	if !ok || !s.read {
		return query{}, false
	}
	return query{v: v, key: "has " + s.key, subjects: []subject{s}, nilness: true}, true
}

func (f *inquirer) comparison(v *ssa.BinOp) (query, bool) {
	x, y, op := v.X, v.Y, v.Op
	c, ok := y.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() == constant.Bool {
		return query{}, false
	}
	if of := calls.LengthOf(x); of != nil {
		n, ok := constant.Int64Val(constant.ToInt(c.Value))
		if !ok {
			return query{}, false
		}
		empty, known := asksEmpty(op, n)
		s, ok := f.subject(of)
		if !ok || !known {
			return query{}, false
		}
		return query{v: v, key: "filled " + s.key, contrary: empty, subjects: []subject{s}}, true
	}
	if op != token.EQL && op != token.NEQ {
		return query{}, false
	}
	s, ok := f.subject(x)
	if !ok {
		return query{}, false
	}
	return query{v: v, key: "is " + s.key + " " + c.Value.ExactString(), group: s.key, contrary: op == token.NEQ, subjects: []subject{s}, about: c.Value}, true
}

// asksEmpty reports whether the comparison of a length with a number asks whether
// there is nothing, or something.
func asksEmpty(op token.Token, n int64) (empty, ok bool) {
	switch {
	case op == token.EQL && n == 0, op == token.LEQ && n == 0, op == token.LSS && n == 1:
		return true, true
	case op == token.NEQ && n == 0, op == token.GTR && n == 0, op == token.GEQ && n == 1:
		return false, true
	}
	return false, false
}

// call is what a function asks that tells kinds of errors apart, or a method that
// asks whether something is zero.
func (f *inquirer) call(v *ssa.Call) (query, bool) {
	callee := kubeapi.Callee(v.Common())
	if callee == nil || len(f.graph.calls.Callees(v).Funcs) > 0 {
		return query{}, false
	}
	if kubeapi.IsMetaGetter(callee) {
		return f.nilness(v)
	}
	isBool := types.Identical(v.Type(), types.Typ[types.Bool])
	if errorAsked(v) != nil {
		asked, ok := f.predicate(v, callee)
		if ok && len(v.Call.Args) == 1 && kubeapi.IsReason(callee) {
			asked.group = "error " + asked.subjects[0].key
		}
		return asked, ok
	}
	if recv, args := kubeapi.Args(v.Common()); isBool && recv != nil && len(args) == 0 && callee.Name() == "IsZero" {
		if _, isPointer := recv.Type().Underlying().(*types.Pointer); isPointer {
			if s, ok := f.subject(recv); ok && s.read {
				return query{v: v, key: "has " + s.key, contrary: true, subjects: []subject{s}, nilness: true}, true
			}
		}
		return f.predicate(v, callee)
	}
	return query{}, false
}

func (f *inquirer) predicate(v *ssa.Call, callee *types.Func) (query, bool) {
	asked := query{v: v, key: "call " + kubeapi.FullName(callee)}
	for _, operand := range kubeapi.Operands(v.Common()) {
		s, ok := f.subject(operand)
		if !ok {
			return query{}, false
		}
		asked.key += " " + s.key
		asked.subjects = append(asked.subjects, s)
	}
	return asked, true
}

// subject tells what a value is that something is asked about.
func (f *inquirer) subject(v ssa.Value) (subject, bool) {
	v = kubeapi.Unboxed(v)
	if c, ok := v.(*ssa.Const); ok {
		if c.Value == nil {
			return subject{key: "nil"}, true
		}
		return subject{key: c.Value.ExactString()}, true
	}
	getter := ""
	at := v
	if call, ok := v.(*ssa.Call); ok {
		if callee := kubeapi.Callee(call.Common()); kubeapi.IsMetaGetter(callee) {
			recv, _ := kubeapi.Args(call.Common())
			getter, at = strings.TrimPrefix(callee.Name(), "Get"), kubeapi.Unboxed(recv)
		}
	}
	place := f.resolve.Place(at)
	root := place.Object.Root
	if root == nil || len(place.Sub) >= maxPath || slices.Contains(place.Sub, element) || place.Object.Index == nil && strings.Contains(place.Object.Path, element) {
		return subject{}, false
	}
	if _, global := root.(*ssa.Global); global && !kubeapi.IsError(v.Type()) {
		return subject{}, false // anybody may change it
	}
	var steps []string
	for _, step := range place.FullPath() {
		if step != "ObjectMeta" && step != "TypeMeta" {
			steps = append(steps, step)
		}
	}
	if getter != "" {
		steps = append(steps, getter)
		place.Sub = append(slices.Clip(place.Sub), getter)
	}
	key := fmt.Sprintf("%p %p .%s", root, place.Object.Index, strings.Join(steps, "."))
	if _, address := v.(*ssa.FieldAddr); address {
		key = "&" + key
	}
	return subject{key: key, place: place, read: len(steps) > 0 && !slices.Equal(steps, []string{"*"})}, true
}

// findChanges finds what may change the answers to questions.
func (f *inquirer) findChanges(q *questions, kept []query) {
	change := func(instr ssa.Instruction, question int) {
		if !slices.Contains(q.changes[instr], question) {
			q.changes[instr] = append(q.changes[instr], question)
		}
	}
	for i, asked := range kept {
		for _, s := range asked.subjects {
			for _, v := range []ssa.Value{s.place.Object.Root, s.place.Object.Index} {
				switch v := v.(type) {
				case *ssa.Parameter:
					if fn := v.Parent(); fn != f.graph.Fn {
						change(fn.Blocks[0].Instrs[0], i)
					}
				case ssa.Instruction:
					change(v, i)
				}
			}
		}
	}
	for _, n := range f.graph.Nodes {
		if n.Joins != nil {
			continue
		}
		switch instr := n.Instr.(type) {
		case *ssa.Store:
			f.stored(q, kept, instr, change)
		case ssa.CallInstruction:
			f.called(kept, instr, change)
		}
	}
}

// stored finds the questions about what a store changes.
func (f *inquirer) stored(q *questions, kept []query, store *ssa.Store, change func(ssa.Instruction, int)) {
	place := f.resolve.Place(store.Addr)
	if cell, ok := f.resolve.variable(store.Addr).(*ssa.Alloc); ok && holdsReference(cell) {
		place = Place{Object: Object{Root: cell}}
	}
	field := ""
	if path := place.FullPath(); len(path) > 0 {
		field = path[len(path)-1]
	}
	var target subject
	if addr, ok := store.Addr.(*ssa.FieldAddr); ok {
		target, _ = f.subject(addr)
	}
	for i, asked := range kept {
		for _, s := range asked.subjects {
			if !s.read && s.place.Object.Path == "" && s.place.Object.Root != place.Object.Root {
				continue // a value
			}
			if field == "" && s.place.Object.Root != place.Object.Root || field != "" && !slices.Contains(s.place.FullPath(), field) {
				continue
			}
			change(store, i)
			if target.key == "" || target.key != "&"+s.key || len(asked.subjects) > 1 {
				continue
			}
			switch c, isConst := store.Val.(*ssa.Const); {
			case asked.nilness:
				q.sets[store] = append(q.sets[store], setting{question: i, value: store.Val})
			case asked.about != nil && isConst && c.Value != nil && c.Value.Kind() == asked.about.Kind():
				q.sets[store] = append(q.sets[store], setting{question: i, answer: TruthOf(constant.Compare(c.Value, token.EQL, asked.about))})
			}
		}
	}
}

// called finds the questions about an object that a call may change.
func (f *inquirer) called(kept []query, call ssa.CallInstruction, change func(ssa.Instruction, int)) {
	common := call.Common()
	does := f.graph.calls.Does(common) // what a wrapper comes down to
	callee := kubeapi.Callee(does)
	if keepsObjects(callee) {
		return
	}
	if builtin, ok := common.Value.(*ssa.Builtin); ok && builtin.Name() != "delete" && builtin.Name() != "clear" && builtin.Name() != "copy" {
		return
	}
	operands := kubeapi.Operands(common)
	roots := make([]ssa.Value, len(operands))
	for i, operand := range operands {
		if isReferring(operand) {
			roots[i] = f.resolve.Place(operand).Object.Root
		}
	}
	op, isClient := kubeapi.ClientOp(does)
	writes, meta := isClient && !op.Verb.Reads(), kubeapi.ChangesOnlyMetadata(callee)
	for i, asked := range kept {
		for _, s := range asked.subjects {
			if s.read && f.reachedBy(call, roots, s) && !(writes && isSent(s.place)) && !(meta && !isMetadata(s.place)) {
				change(call, i)
			}
		}
	}
}

func isReferring(v ssa.Value) bool {
	if v == nil {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice:
		return true
	}
	return false
}

// reachedBy reports whether a call is given the object that something is asked about, by
// one of its operands, of which the roots are known, and may change what that is.
func (f *inquirer) reachedBy(call ssa.CallInstruction, roots []ssa.Value, s subject) bool {
	for i, root := range roots {
		if root == s.place.Object.Root && f.mayChange(call, i, s, 0) {
			return true
		}
	}
	return false
}

// maxChanging bounds the functions of the package that are looked into for changes.
const maxChanging = 3

// mayChange reports whether a function of the package that a call runs may change what is
// asked about, given its index-th operand; other functions may.
func (f *inquirer) mayChange(call ssa.CallInstruction, index int, s subject, depth int) bool {
	targets := f.graph.calls.Callees(call)
	if !targets.Closed || depth == maxChanging {
		return true
	}
	return slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool {
		return len(fn.Params) != len(kubeapi.Operands(call.Common())) || f.changes(fn, fn.Params[index], s, depth+1)
	})
}

// changes reports whether a function may change what is asked about, of an object that
// is one of its parameters.
func (f *inquirer) changes(fn *ssa.Function, given *ssa.Parameter, s subject, depth int) bool {
	path := s.place.FullPath()
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			if addr, ok := instr.Addr.(*ssa.FieldAddr); !ok && f.resolve.Place(instr.Addr).Object.Root == given || ok && slices.Contains(path, calls.FieldOf(addr.X.Type(), addr.Field).Name()) {
				return true
			}
		case *ssa.MapUpdate:
			if f.resolve.Place(instr.Map).Object.Root == given && slices.Contains(path, element) {
				return true
			}
		case ssa.CallInstruction:
			if callee := kubeapi.Callee(instr.Common()); keepsObjects(callee) || kubeapi.ChangesOnlyMetadata(callee) && !isMetadata(s.place) {
				continue
			}
			if op, ok := kubeapi.ClientOp(instr.Common()); ok && !op.Verb.Reads() && isSent(s.place) {
				continue
			}
			for i, operand := range kubeapi.Operands(instr.Common()) {
				if isReferring(operand) && f.resolve.Place(operand).Object.Root == given && f.mayChange(instr, i, s, depth) {
					return true
				}
			}
		}
	}
	return false
}

// isMetadata reports whether what is asked about is a part of an object's metadata, or not
// known to be none.
func isMetadata(p Place) bool { return !p.IsInside() || p.Sub[0] == "ObjectMeta" }

// isSent reports whether what is asked about is what a write sends, so that it is the same
// in the answer.
func isSent(p Place) bool {
	return len(p.Sub) > 1 && (p.Sub[0] == "Spec" || p.Sub[0] == "ObjectMeta" && p.Sub[1] != "ResourceVersion" && p.Sub[1] != "Generation")
}

// Contradicts reports whether no path leads to an instruction: the conditions on all of
// them contradict each other.
func (g *Graph) Contradicts(instr ssa.Instruction) bool {
	g.track()
	asked := 0
	for _, n := range g.At(instr) {
		for at, frame := instr.Block(), n.Frame; ; at, frame = frame.Call.Block(), frame.Parent {
			asked += g.questions.decided(at)
			if frame.Call == nil {
				break
			}
		}
	}
	if asked < 2 {
		return false
	}
	leads := g.LeadingTo(func(n *Node) bool { return n.Instr == instr })
	_, found, whole := g.search(nil, 0, nil, func(n *Node, stage int, _ Known) (int, Step) {
		switch {
		case n.Instr == instr:
			return stage, Found
		case !leads[n.Index()]:
			return stage, Prune
		}
		return stage, Continue
	})
	return whole && !found && leads[g.Entry.Index()]
}

// decided returns how many questions have been answered wherever a block is reached.
func (q *questions) decided(block *ssa.BasicBlock) int {
	n := 0
	for branch := range blocks.Decided(block) {
		v := branch.Cond
		if cond, ok := v.(*ssa.BinOp); ok {
			if x, _, ok := comparison(cond); ok {
				v = x
			}
		}
		if _, ok := q.asked[v]; ok {
			n++
		}
	}
	return n
}

// keepsObjects reports whether a function does not change what it is given.
func keepsObjects(callee *types.Func) bool {
	if callee == nil || kubeapi.ChangesOnlyMetadata(callee) {
		return false
	}
	if kubeapi.Logs(callee) || kubeapi.IsEventRecorder(callee) || kubeapi.IsMetaGetter(callee) || kubeapi.ErrorUseOf(callee) != kubeapi.UnknownErrorUse {
		return true
	}
	name := callee.Name()
	return kubeapi.OnlyReads(callee) || strings.HasPrefix(name, "DeepCopy") || name == "IsZero" || name == "String"
}

// answer records what a value tells that answers a question, now or, if since is not
// nil, since that block was entered.
func (s *searcher) answer(st *state, v ssa.Value, t Truth, since *ssa.BasicBlock) {
	q := s.graph.questions
	if call, ok := v.(*ssa.Call); ok && t == True && q.errors[call] != nil {
		s.assume(st, q.errors[call], True, since)
	}
	asked, ok := q.asked[v]
	if !ok || since != nil && q.changesIn(asked.question, since) {
		return
	}
	if asked.contrary {
		t = t.Not()
	}
	s.settle(st, asked.question, t)
}

// settle records the answer to a question, and so to those of which one at most is
// answered with yes.
func (s *searcher) settle(st *state, question int, t Truth) {
	q := s.graph.questions
	st.facts = st.facts.with(len(s.graph.tracked)+question, t)
	if group := q.others[question]; t == True && group >= 0 {
		for other, of := range q.others {
			if of == group && other != question {
				st.facts = st.facts.with(len(s.graph.tracked)+other, False)
			}
		}
	}
}

// answered is what is known of a value that answers a question.
func (s *searcher) answered(f facts, v ssa.Value) Truth {
	asked, ok := s.graph.questions.asked[v]
	if !ok {
		return Unknown
	}
	t := f.of(len(s.graph.tracked) + asked.question)
	if asked.contrary {
		t = t.Not()
	}
	return t
}

// reconsider forgets the answers that an instruction changes, or replaces them.
func (s *searcher) reconsider(st *state, instr ssa.Instruction) {
	q := s.graph.questions
	for _, question := range q.changes[instr] {
		if index := len(s.graph.tracked) + question; st.facts.of(index) != Unknown {
			st.facts = st.facts.with(index, Unknown)
		}
	}
	store, ok := instr.(*ssa.Store)
	if !ok {
		return
	}
	for _, set := range q.sets[store] {
		t := set.answer
		if set.value != nil {
			t = s.eval(st.facts, set.value, 0)
		}
		if t != Unknown {
			s.settle(st, set.question, t)
		}
	}
}

// changesIn reports whether the answer to a question may change in a block, or in one that
// it dominates.
func (q *questions) changesIn(question int, block *ssa.BasicBlock) bool {
	for instr, changed := range q.changes {
		if slices.Contains(changed, question) && instr.Parent() == block.Parent() && block.Dominates(instr.Block()) {
			return true
		}
	}
	return false
}
