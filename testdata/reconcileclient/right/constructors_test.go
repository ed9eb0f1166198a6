package right

import "testing"

func TestFake(t *testing.T) {
	f := &fakeReconciler{}
	_ = f
}
