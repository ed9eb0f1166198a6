package fuzz

import (
	"go/ast"
	"go/types"
	"strings"
)

// uses lists the places in the package where an object is named, but for its
// declaration.
func (s *site) uses(obj types.Object) (files []int, idents []*ast.Ident) {
	for i, file := range s.pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && s.pkg.TypesInfo.Uses[id] == obj {
				files, idents = append(files, i), append(idents, id)
			}
			return true
		})
	}
	return files, idents
}

// instantiate writes type arguments to each use of an object.
func (s *site) instantiate(obj types.Object, args func(id *ast.Ident) string) []edit {
	var edits []edit
	files, idents := s.uses(obj)
	for i, id := range idents {
		end := s.offset(id.End())
		edits = append(edits, edit{files[i], end, end, args(id)})
	}
	return edits
}

// makeGeneric gives the function a type parameter.
func makeGeneric(s *site) []edit {
	if s.fn.Recv != nil || s.fn.Type.TypeParams != nil {
		return nil
	}
	obj := s.pkg.TypesInfo.Defs[s.fn.Name]
	edits := s.instantiate(obj, func(*ast.Ident) string { return "[int]" })
	if params := s.fn.Type.Params.List; len(params) > 0 && len(params[0].Names) > 0 && s.in.pick(2) == 0 {
		// The type of the first parameter becomes the parameter.
		t := s.typeOf(params[0].Type)
		if _, variadic := params[0].Type.(*ast.Ellipsis); variadic || t == nil {
			return nil
		}
		edits = s.instantiate(obj, func(*ast.Ident) string { return "[" + s.typeText(t) + "]" })
		edits = append(edits, s.replace(params[0].Type, "FuzzT")...)
		return append(edits, s.insert(s.fn.Name.End(), "[FuzzT interface{ %s }]", s.typeText(t))...)
	}
	return append(edits, s.insert(s.fn.Name.End(), "[FuzzT any]")...)
}

// makeTypeGeneric gives the receiver's type a type parameter.
func makeTypeGeneric(s *site) []edit {
	if s.fn.Recv == nil {
		return nil
	}
	t := s.typeOf(s.fn.Recv.List[0].Type)
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return nil
	}
	receivers := make(map[*ast.Ident]bool)
	var edits []edit
	for i, file := range s.pkg.Syntax {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv != nil {
					ast.Inspect(decl.Recv.List[0].Type, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							receivers[id] = true
						}
						return true
					})
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok && s.pkg.TypesInfo.Defs[spec.Name] == named.Obj() {
						end := s.offset(spec.Name.End())
						edits = append(edits, edit{i, end, end, "[FuzzT any]"})
					}
				}
			}
		}
	}
	return append(edits, s.instantiate(named.Obj(), func(id *ast.Ident) string {
		if receivers[id] {
			return "[FuzzT]"
		}
		return "[int]"
	})...)
}

// bodyInClosure has a function literal do what the function does.
func bodyInClosure(s *site) []edit {
	var results, give string
	if s.fn.Type.Results != nil {
		results, give = s.text(s.fn.Type.Results), "return "
	}
	body := s.text(s.fn.Body)
	forms := []string{
		"{\n%[1]sfunc() %[2]s %[3]s()\n}",
		"{\nfuzz := func() %[2]s %[3]s\n%[1]sfuzz()\n}",
		"{\nif fuzzCond() {\n%[1]sfunc() %[2]s %[3]s()\n} else {\n%[1]sfunc() %[2]s %[3]s()\n}\n}",
	}
	return s.replace(s.fn.Body, forms[s.in.pick(len(forms))], give, results, body)
}

// captureParams has a literal change the function's parameters.
func captureParams(s *site) []edit {
	var b strings.Builder
	for _, field := range s.fn.Type.Params.List {
		for _, name := range field.Names {
			if name.Name != "_" {
				b.WriteString("fuzzKeep(func() { " + name.Name + " = *new(" + strings.Replace(s.text(field.Type), "...", "[]", 1) + ") })\n")
			}
		}
	}
	return s.insert(s.fn.Body.Lbrace+1, "\n%s", b.String())
}

func dropBody(s *site) []edit {
	forms := []string{"{}", "{ panic(0) }", "{ select {} }", "{ for {} }"}
	return s.replace(s.fn.Body, "%s", forms[s.in.pick(len(forms))])
}

// recurse makes the function call itself.
func recurse(s *site) []edit {
	at, ok := choose(s.in, s.slots)
	call, ok2 := s.callOf(s.fn)
	if !ok || !ok2 {
		return nil
	}
	if at.in.Results().Len() > 0 && s.in.pick(2) == 0 {
		call = "return " + call
	}
	return s.insert(at.pos, "if fuzzCond() {\n%s\n}\n", call)
}

func dropParamName(s *site) []edit {
	params := s.fn.Type.Params.List
	if len(params) == 0 {
		return nil
	}
	field := params[s.in.pick(len(params))]
	if len(field.Names) == 0 {
		return nil
	}
	return s.replace(field.Names[s.in.pick(len(field.Names))], "_")
}

// keepInField calls a function by way of a struct's field.
func keepInField(s *site) []edit {
	call, ok := pickNode[*ast.CallExpr](s)
	if !ok {
		return nil
	}
	sig, ok := s.typeOf(call.Fun).(*types.Signature)
	if !ok {
		return nil
	}
	return s.replace(call.Fun, "(&fuzzBox[%s]{value: %s}).value", s.typeText(sig), s.text(call.Fun))
}
