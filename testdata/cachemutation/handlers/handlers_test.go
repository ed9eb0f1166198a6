package handlers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestRecorder(t *testing.T) {
	r := newRecorder()
	r.OnAdd(&corev1.Pod{}, false)
	if len(r.phases) != 1 {
		t.Fail()
	}
}
