package fuzz

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

func deleteStmt(s *site) []edit {
	at, ok := s.stmt()
	if !ok {
		return nil
	}
	return s.replace(at.list[at.at], "")
}

func duplicateStmt(s *site) []edit {
	at, ok := s.stmt()
	if !ok {
		return nil
	}
	return s.insert(at.pos, "%s\n", s.text(at.list[at.at]))
}

func swapStmts(s *site) []edit {
	at, ok := s.stmt()
	if !ok || at.at+1 >= len(at.list) {
		return nil
	}
	first, second := at.list[at.at], at.list[at.at+1]
	return append(s.replace(first, "%s", s.text(second)), s.replace(second, "%s", s.text(first))...)
}

// moveStmt moves a statement to another place of the function.
func moveStmt(s *site) []edit {
	at, ok := s.stmt()
	to, ok2 := choose(s.in, s.slots)
	if !ok || !ok2 {
		return nil
	}
	moved := at.list[at.at]
	if moved.Pos() <= to.pos && to.pos < moved.End() {
		return nil
	}
	return append(s.replace(moved, ""), s.insert(to.pos, "%s\n", s.text(moved))...)
}

// transplant copies a statement of another function of the file.
func transplant(s *site) []edit {
	to, ok := choose(s.in, s.slots)
	from, ok2 := choose(s.in, s.funcs)
	if !ok || !ok2 || len(from.Body.List) == 0 {
		return nil
	}
	start := s.in.pick(len(from.Body.List))
	end := start + s.in.pick(len(from.Body.List)-start)
	return s.insert(to.pos, "%s\n", s.span(from.Body.List[start].Pos(), from.Body.List[end].End()))
}

// frames are what statements may stand in. The # is a number.
var frames = []string{
	"for {\n%s\n}",
	"for fuzz# := 0; fuzz# < 3; fuzz#++ {\n%s\n}",
	"for range 3 {\n%s\n}",
	"for {\n%s\nbreak\n}",
	"for fuzzCond() {\n%s\n}",
	"{\n%s\n}",
	"if fuzzCond() {\n%s\n}",
	"if !fuzzCond() {\n%[1]s\n} else {\n%[1]s\n}",
	"func() {\n%s\n}()",
	"go func() {\n%s\n}()",
	"defer func() {\n%s\n}()",
	"switch {\ncase fuzzCond():\n%[1]s\nfallthrough\ndefault:\n%[1]s\n}",
	"select {\ndefault:\n%s\n}",
	"fuzzL#: for {\n%s\nif fuzzCond() {\ncontinue fuzzL#\n}\nbreak fuzzL#\n}",
	"fuzzRun(func() {\n%s\n})",
	"fuzzSpawn(func() {\n%s\n})",
	"fuzzKeep(func() {\n%s\n})",
	"for fuzz# := range fuzzSeq {\n_ = fuzz#\n%s\n}",
	"if fuzz# := func() {\n%s\n}; fuzzCond() {\nfuzz#()\n} else {\ngo fuzz#()\n}",
	"defer func() {\nif fuzz# := recover(); fuzz# != nil {\n%s\n}\n}()",
	"switch any(fuzzKept).(type) {\ncase nil:\ncase []func():\n%s\n}",
	"if fuzzCond() {\ngoto fuzzG#\n}\nfuzzG#: {\n%s\n}",
	"fuzzG#: {\n%s\n}\nif fuzzCond() {\ngoto fuzzG#\n}",
	"var fuzz# func()\nfuzz# = func() {\n%s\nif fuzzCond() {\nfuzz#()\n}\n}\nfuzz#()",
	"for _, fuzz# := range []func(){func() {\n%s\n}} {\ndefer fuzz#()\n}",
	"fuzz# := make(chan struct{})\ngo func() {\ndefer close(fuzz#)\n%s\n}()\n<-fuzz#",
}

func wrapStmts(s *site) []edit { return s.wrap(func(rest int) int { return s.in.pick(min(rest, 4)) }) }

func wrapRest(s *site) []edit { return s.wrap(func(rest int) int { return rest - 1 }) }

func (s *site) wrap(more func(rest int) int) []edit {
	at, ok := s.stmt()
	frame, _ := choose(s.in, frames)
	if !ok {
		return nil
	}
	first := at.list[at.at]
	last := at.list[at.at+more(len(at.list)-at.at)]
	frame = strings.ReplaceAll(frame, "#", fmt.Sprint(s.serial))
	return []edit{{s.file, s.offset(first.Pos()), s.offset(last.End()), fmt.Sprintf(frame, s.span(first.Pos(), last.End()))}}
}

// leaveEarly inserts a way out.
func leaveEarly(s *site) []edit {
	at, ok := choose(s.in, s.slots)
	if !ok {
		return nil
	}
	ways := []string{
		"return " + s.valuesOf(at.in.Results()), "break", "continue", `panic("fuzz")`, "select {}", "for {\n}", "fuzzRun(nil)",
	}
	way := ways[s.in.pick(len(ways))]
	if s.in.pick(2) == 0 {
		return s.insert(at.pos, "if fuzzCond() {\n%s\n}\n", way)
	}
	return s.insert(at.pos, "%s\n", way)
}

// callMore inserts a call to a function of the file, with what is at hand.
func callMore(s *site) []edit {
	at, ok := choose(s.in, s.slots)
	fn, ok2 := choose(s.in, s.funcs)
	if !ok || !ok2 {
		return nil
	}
	call, ok := s.callOf(fn)
	if !ok {
		return nil
	}
	forms := []string{"%s\n", "%s\n", "go %s\n", "defer %s\n", "if fuzzCond() {\n%s\n}\n", "fuzzKeep(func() { %s })\n"}
	return s.insert(at.pos, forms[s.in.pick(len(forms))], call)
}

// turnCall makes a call deferred or concurrent, or neither.
func turnCall(s *site) []edit {
	at, ok := s.stmt()
	if !ok {
		return nil
	}
	switch stmt := at.list[at.at].(type) {
	case *ast.ExprStmt:
		return s.insert(stmt.Pos(), "%s ", []string{"go", "defer"}[s.in.pick(2)])
	case *ast.GoStmt:
		return s.replace(stmt, "%s%s", []string{"", "defer "}[s.in.pick(2)], s.text(stmt.Call))
	case *ast.DeferStmt:
		return s.replace(stmt, "%s%s", []string{"", "go "}[s.in.pick(2)], s.text(stmt.Call))
	}
	return nil
}

func changeCondition(s *site) []edit {
	stmt, ok := pickNode[*ast.IfStmt](s)
	if !ok {
		return nil
	}
	forms := []string{"!(%s)", "(%s) && fuzzCond()", "(%s) || fuzzCond()", "fuzzCond() || (%s)", "!fuzzID(%s)", "fuzzCond() == (%s)"}
	return s.replace(stmt.Cond, forms[s.in.pick(len(forms))], s.text(stmt.Cond))
}

// changeBranches swaps, drops or adds branches.
func changeBranches(s *site) []edit {
	stmt, ok := pickNode[*ast.IfStmt](s)
	if !ok {
		return nil
	}
	if stmt.Else == nil {
		return s.insert(stmt.End(), " else {\n%s\n}", s.span(stmt.Body.Lbrace+1, stmt.Body.Rbrace))
	}
	block, ok := stmt.Else.(*ast.BlockStmt)
	if !ok || s.in.pick(2) == 0 {
		return []edit{{s.file, s.offset(stmt.Body.End()), s.offset(stmt.Else.End()), ""}}
	}
	return append(s.replace(stmt.Body, "%s", s.text(block)), s.replace(block, "%s", s.text(stmt.Body))...)
}

// loopOfCondition makes a loop of an if statement, or the other way round.
func loopOfCondition(s *site) []edit {
	at, ok := s.stmt()
	if !ok {
		return nil
	}
	switch stmt := at.list[at.at].(type) {
	case *ast.IfStmt:
		if stmt.Init == nil && stmt.Else == nil {
			return s.replace(stmt, "for %s %s", s.text(stmt.Cond), s.text(stmt.Body))
		}
	case *ast.ForStmt:
		return s.replace(stmt, "if fuzzCond() %s", s.text(stmt.Body))
	case *ast.RangeStmt:
		return s.replace(stmt.Body, "{\n%s\nbreak\n}", s.span(stmt.Body.Lbrace+1, stmt.Body.Rbrace))
	}
	return nil
}

// forgetResult assigns one of several results to nothing.
func forgetResult(s *site) []edit {
	stmt, ok := pickNode[*ast.AssignStmt](s)
	if !ok {
		return nil
	}
	return s.replace(stmt.Lhs[s.in.pick(len(stmt.Lhs))], "_")
}

func recoverPanics(s *site) []edit {
	return s.insert(s.fn.Body.Lbrace+1, "\ndefer func() { _ = recover() }()\n")
}

// rangeOverFunc ranges over a function of the same elements.
func rangeOverFunc(s *site) []edit {
	stmt, ok := pickNode[*ast.RangeStmt](s)
	if !ok {
		return nil
	}
	return s.replace(stmt.X, "fuzzEach(%s)", s.text(stmt.X))
}

func returnOther(s *site) []edit {
	stmt, ok := pickNode[*ast.ReturnStmt](s)
	if !ok || len(stmt.Results) == 0 {
		return nil
	}
	result := stmt.Results[s.in.pick(len(stmt.Results))]
	if t := s.typeOf(result); t != nil {
		return s.replace(result, "%s", s.valueOf(t))
	}
	return nil
}

// changeLiteral changes a number or string.
func changeLiteral(s *site) []edit {
	lit, ok := pickNode[*ast.BasicLit](s)
	if !ok {
		return nil
	}
	values := []string{"0", "-1", "1", "1<<62", "2"}
	if lit.Kind == token.STRING {
		values = []string{`""`, `"a"`, "`\n`", `"/"`, `"\xff"`}
	}
	return s.replace(lit, "%s", values[s.in.pick(len(values))])
}
