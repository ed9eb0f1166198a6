package kubeapi

import (
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
