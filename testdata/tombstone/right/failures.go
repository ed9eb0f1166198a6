package right

// failure is an interface whose method belongs to no package: nothing is said of
// it to others, although what implements it here does no work.
type failure error

type missing struct{ name string }

func (m missing) Error() string { return m.name + " is gone" }

func fail(name string) failure { return missing{name: name} }

var _ = fail
