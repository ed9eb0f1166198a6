package wording

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTail(t *testing.T) {
	for _, test := range []struct {
		name  string
		width int
		want  string
	}{
		{"pod.Labels", 12, "pod.Labels"},
		{"daemonSet.Spec.Template.Annotations", 24, "…Template.Annotations"},
		{"reconcileDistributedSubnetRoute", 12, "…SubnetRoute"},
		{"node.Labels[corev1.LabelTopologyZone]", 20, "node.Labels[…]"},
		{"pod.Spec.Containers[0].Image", 20, "…Containers[0].Image"},
		{"größe.größe", 6, "…größe"},
	} {
		if got := Tail(test.name, test.width); got != test.want {
			t.Errorf("Tail(%q, %d) = %q, want %q", test.name, test.width, got, test.want)
		}
	}
}

func TestFit(t *testing.T) {
	long := strings.Repeat("abcdefgh.", 20)
	got := Fit(func(name func(string) string) string {
		return name(long) + " " + strings.Repeat("x", 60) + " " + name(long) + " " + name(long)
	})
	if n := utf8.RuneCountInString(got); n > Max || n < Max-30 {
		t.Errorf("%d characters: %s", n, got)
	}
	if got := Fit(func(name func(string) string) string { return name("short") }); got != "short" {
		t.Errorf("got %q", got)
	}
}
