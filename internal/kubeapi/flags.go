package kubeapi

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Switch is a flag of the command line that something may depend on: a boolean one, or a text.
type Switch struct {
	Name string
	// On tells that it is on unless it is turned off.
	On bool
	// IsText tells that it is a text; Text is what that is unless it is given.
	IsText bool
	Text   string
	// Variable is the address of the variable that it sets, or nil for the one that the
	// call returns.
	Variable ssa.Value
}

// A NumberFlag is a flag of the command line for a number.
type NumberFlag struct {
	Default int64
	// Variable is the address of the variable that it sets, or nil for the one that the
	// call returns.
	Variable ssa.Value
}

// NumberFlagOf recognises the definition of a flag for a whole number whose default is a constant.
func NumberFlagOf(common *ssa.CallCommon) (f NumberFlag, ok bool) {
	variable, value := NumberFlagArgs(Callee(common))
	_, args := Args(common)
	if value < 0 || value >= len(args) {
		return f, false
	}
	if variable >= 0 {
		f.Variable = args[variable]
	}
	c, ok := args[value].(*ssa.Const)
	if !ok || c.Value == nil {
		return f, false
	}
	f.Default, ok = constant.Int64Val(constant.ToInt(c.Value))
	return f, ok
}

// NumberFlagArgs tells which arguments of a function of the package flag or of pflag that
// defines a flag for a whole number are the address of its variable and its default; -1 for none.
func NumberFlagArgs(fn *types.Func) (variable, value int) {
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "flag" && fn.Pkg().Path() != "github.com/spf13/pflag" {
		return -1, -1
	}
	name, hasShorthand := strings.CutSuffix(fn.Name(), "P")
	name, setsVariable := strings.CutSuffix(name, "Var")
	switch name {
	case "Int", "Int8", "Int16", "Int32", "Int64", "Uint", "Uint8", "Uint16", "Uint32", "Uint64":
	default:
		return -1, -1
	}
	variable, value = -1, 1
	if setsVariable {
		variable, value = 0, 2
	}
	if hasShorthand {
		value++
	}
	return variable, value
}

// SwitchOf recognises the definition of a flag, boolean or a text, of the package flag or of pflag,
// whose default is a constant.
func SwitchOf(common *ssa.CallCommon) (s Switch, ok bool) {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "flag" && fn.Pkg().Path() != "github.com/spf13/pflag" {
		return s, false
	}
	name, hasShorthand := strings.CutSuffix(fn.Name(), "P")
	name, setsVariable := strings.CutSuffix(name, "Var")
	if name != "Bool" && name != "String" {
		return s, false
	}
	_, args := Args(common)
	if setsVariable && len(args) > 0 {
		s.Variable, args = args[0], args[1:]
	}
	at := 1
	if hasShorthand {
		at = 2
	}
	if len(args) <= at {
		return s, false
	}
	if s.Name, ok = ConstString(args[0]); !ok {
		return s, false
	}
	if s.IsText = name == "String"; s.IsText {
		s.Text, ok = ConstString(args[at])
	} else {
		s.On, ok = ConstBool(args[at])
	}
	return s, ok
}
