package cleanups

import "testing"

func TestThingOf(t *testing.T) {
	for name, want := range map[string]string{
		"DeleteBucket":            "bucket",
		"deleteExternalResources": "external resources",
		"removeDNSRecordFor":      "DNS record",
		"CleanUpAllPVCs":          "PVCs",
		"tearDown":                "",
		"delete_user":             "user",
		"Delete":                  "",
		"deleteIfExists":          "",
		"DeleteVMs":               "VMs",
		"cleanupDisksBeforeNode":  "disks",
	} {
		if got := thingOf(name); got != want {
			t.Errorf("thingOf(%s) = %q, want %q", name, got, want)
		}
	}
}
