package kubeapi

import "golang.org/x/tools/go/ssa"

// A Switch is a boolean flag of the command line.
type Switch struct {
	Name string
	// On tells that it is on unless it is turned off.
	On bool
	// Variable is the address of the variable that it sets, or nil for the one that the
	// call returns.
	Variable ssa.Value
}

// SwitchOf recognises the definition of a boolean flag, of the package flag or of pflag,
// whose default is a constant.
func SwitchOf(common *ssa.CallCommon) (s Switch, ok bool) {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "flag" && fn.Pkg().Path() != "github.com/spf13/pflag" {
		return s, false
	}
	_, args := Args(common)
	if fn.Name() == "BoolVar" || fn.Name() == "BoolVarP" {
		if len(args) == 0 {
			return s, false
		}
		s.Variable, args = args[0], args[1:]
	} else if fn.Name() != "Bool" && fn.Name() != "BoolP" {
		return s, false
	}
	at := 1
	if fn.Name() == "BoolVarP" || fn.Name() == "BoolP" {
		at = 2 // after the shorthand
	}
	if len(args) <= at {
		return s, false
	}
	name, known := ConstString(args[0])
	on, isConst := ConstBool(args[at])
	if !known || !isConst {
		return s, false
	}
	s.Name, s.On = name, on
	return s, true
}
