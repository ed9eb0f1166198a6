package cases

import (
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// borrower acts as somebody else for a while.
type borrower struct{ shared *rest.Config }

func (b *borrower) borrow(user string) (dynamic.Interface, error) {
	b.shared.Impersonate.UserName = user // want `^hygiene: later clients of b\.shared act as somebody else`
	return dynamic.NewForConfig(b.shared)
}

func (b *borrower) giveBack() (dynamic.Interface, error) {
	b.shared.Impersonate.UserName = "" // want `^hygiene: `
	return dynamic.NewForConfig(b.shared)
}
