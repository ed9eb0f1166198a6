package configs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/opvet/opvet/analyzers/restconfig/internal/configs"
	"github.com/opvet/opvet/internal/testing/passtest"
)

var kinds = map[configs.Kind]string{
	configs.Unknown: "unknown", configs.Fresh: "fresh", configs.Copy: "copy", configs.Manager: "manager", configs.Global: "global",
	configs.Field: "field", configs.Param: "param",
}

// TestChanges checks what changes configurations, and where these come from.
func TestChanges(t *testing.T) {
	results := passtest.Run[*configs.Changes](t, configs.Analyzer, "../../../../testdata", "./restconfig/helpers/...")
	const path = "github.com/opvet/opvet/testdata/restconfig/helpers"
	for pkg, want := range map[string][]string{
		path: {
			"Impersonate of field r.config by impersonate", "WrapTransport of manager mgr.GetConfig() by Trace",
			"Host of manager s.Config()", "WrapTransport of fresh  by Trace",
		},
		path + "/lib": {"WrapTransport of param config", "Impersonate of param config by impersonate", "Impersonate of param config", "Impersonate of copy  by impersonate"},
	} {
		info := results[pkg].Value
		var got []string
		for _, c := range info.Changes {
			o := info.Origin(c.Config)
			text := fmt.Sprintf("%s of %s %s", c.Field, kinds[o.Kind], o.What)
			if c.By != nil {
				text += " by " + c.By.Func
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", pkg, got, want)
		}
	}
}
