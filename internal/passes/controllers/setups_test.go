package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestSetups reads the ways in which controllers and what surrounds them are put
// together.
func TestSetups(t *testing.T) {
	results := passtest.Run[*controllers.Result](t, controllers.Analyzer, "../../../testdata", "./passes/setups")
	var got []string
	for _, result := range results {
		made := result.Value.Made()
		for _, c := range made.Controllers {
			got = append(got, words(c))
		}
		for _, m := range made.Managers {
			got = append(got, "manager elects: "+string(m.Election))
		}
		for _, w := range made.Webhooks {
			got = append(got, fmt.Sprintf("webhook %s%s defaults=%t validates=%t", w.Kind.Name(), w.Path, w.Roles&kubeapi.Defaults != 0, w.Roles&kubeapi.Validates != 0))
		}
	}
	slices.Sort(got)
	want := []string{
		"Both.nodes: for Node self; workers 1; delete Node",
		"Both.pods: for Pod self; workers 2; delete Pod",
		"Held: for Secret self; workers 1; get Secret, update Secret",
		"Services.queue services: for Service self, watches Endpoints self if isNamed, watches Pod owner, watches Secret self sometimes; workers parameter; get Service, update Service",
		"Shown: for Node self; workers 1; more out of sight",
		"Workload: for CronJob self; workers 1",
		"Workload: for Deployment self, owns ConfigMap owner of Deployment; workers 1",
		"Workload: for Job self; workers 1",
		"Workload: for StatefulSet self, owns ConfigMap owner of StatefulSet; workers 1",
		"manager elects: configured", "manager elects: no", "manager elects: yes", "manager elects: yes",
		"webhook ?/scale defaults=false validates=false",
		"webhook Pod defaults=false validates=true", "webhook Pod defaults=true validates=false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-) and got (+):\n%s", diff)
	}
}

func words(c controllers.Controller) string {
	name := c.Reconciler[strings.LastIndex(c.Reconciler, ".")+1:]
	if c.Queue != "" {
		name += "." + c.Queue
	}
	if c.Name != "" {
		name += " " + c.Name
	}
	var watches, uses []string
	for _, w := range c.Watches {
		text := fmt.Sprintf("%s %s %s", w.Role, w.Kind.Name(), w.Handler.Class)
		if w.Handler.Owner.IsKnown() {
			text += " of " + w.Handler.Owner.Name()
		}
		if w.Filter.IsSet() {
			text += " if " + strings.Join(w.Filter.Names, ", ")
		}
		if w.Conditional {
			text += " sometimes"
		}
		watches = append(watches, text)
	}
	slices.Sort(watches)
	for _, a := range c.Does.Accesses {
		if use := string(a.Act) + " " + a.Kind.Name(); a.Act != controllers.ReadPart && a.Act != controllers.ChangePart && !slices.Contains(uses, use) {
			uses = append(uses, use)
		}
	}
	slices.Sort(uses)
	text := fmt.Sprintf("%s: %s; workers %s", name, strings.Join(watches, ", "), strings.TrimPrefix(fmt.Sprint(c.Workers.Value)+c.Workers.From, "0"))
	if c.Open {
		text += "; more out of sight"
	}
	if len(uses) > 0 {
		text += "; " + strings.Join(uses, ", ")
	}
	return text
}
