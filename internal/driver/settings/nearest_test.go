package settings

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"cachemutation", "cachescope", "cachesync", "ctxdone", "resync", "statusupdate", "workqueue"}
	for name, want := range map[string]string{
		"statusupdate":  "statusupdate",
		"statusupdates": "statusupdate",
		"statsuupdate":  "statusupdate",
		"StatusUpdate":  "statusupdate",
		"status":        "statusupdate",
		"cachesyn":      "cachesync",
		"cache":         "",
		"cahe":          "",
		"statsu":        "statusupdate",
		"workkueu":      "workqueue",
		"cxtdone":       "ctxdone",
		"nosuch":        "",
		"s":             "",
		"":              "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("nearest to %q: %q, want %q", name, got, want)
		}
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3}} {
		if got := slips(test.a, test.b); got != test.want {
			t.Errorf("from %q to %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
