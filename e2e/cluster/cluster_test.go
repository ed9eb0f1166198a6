package cluster

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOperators needs some minutes, and a few gigabytes for the build of the server.
func TestOperators(t *testing.T) {
	s := startServer(t)
	for i := range operators {
		o := &operators[i]
		t.Run(o.name, func(t *testing.T) { o.test(t, s) })
	}
}

// Why opvet and the server may differ.
const (
	ownersDiffer  = "not reported: only clusters with OwnerReferencesPermissionEnforcement refuse it"
	leaderDiffers = "not reported: nothing but people depends on the events of the election"
	unplayed      = "not refused: the scenario does not get there"
	seriesDiffer  = "not refused: only an event that comes again is patched"
)

var operators = []operator{
	{
		// Shaped like what kubebuilder makes, with what most operators add.
		name:   "memcached",
		source: func(*testing.T) string { return filepath.Join("testdata", "memcached") },
		pkg:    "./cmd",
		args:   []string{"-leader-elect", "-leader-election-namespace=NAMESPACE", "-metrics-bind-address=METRICS", "-health-probe-bind-address=0"},
		crds:   []string{"config/crd/bases/*.yaml"},
		groups: []string{"cache.example.com"},
		differs: map[string]string{
			"update memcacheds.cache.example.com/finalizers": ownersDiffer,
			"create events":              leaderDiffers,
			"patch events":               leaderDiffers,
			"patch events.events.k8s.io": seriesDiffer,
		},
	},
	{
		name:   "sample-controller",
		source: func(t *testing.T) string { return download(t, "k8s.io/sample-controller@v0.37.0") },
		pkg:    ".",
		args:   []string{"-kubeconfig=KUBECONFIG"},
		crds:   []string{"artifacts/examples/crd-status-subresource.yaml"},
		groups: []string{"samplecontroller.k8s.io"},
		differs: map[string]string{
			"update foos.samplecontroller.k8s.io/finalizers": ownersDiffer,
		},
	},
	{
		name:   "snapshot-controller",
		source: snapshotter,
		pkg:    "./cmd/snapshot-controller",
		args:   []string{"-kubeconfig=KUBECONFIG", "-leader-election", "-leader-election-namespace=NAMESPACE", "-enable-distributed-snapshotting", "-kube-api-qps=100", "-kube-api-burst=200"},
		crds:   []string{"client/config/crd/*.yaml"},
		groups: []string{"snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"},
		differs: map[string]string{
			"patch events": seriesDiffer,
			// Members of a group that the driver has taken, and what an error leaves.
			"patch volumegroupsnapshots.groupsnapshot.storage.k8s.io":     unplayed,
			"get volumesnapshotcontents.snapshot.storage.k8s.io":          unplayed,
			"patch volumesnapshotcontents.snapshot.storage.k8s.io/status": unplayed,
			"create volumesnapshots.snapshot.storage.k8s.io":              unplayed,
			"delete volumesnapshots.snapshot.storage.k8s.io":              unplayed,
			"patch volumesnapshots.snapshot.storage.k8s.io/status":        unplayed,
		},
	},
}

// download returns a copy of a module's folder, as the module proxy has it.
func download(t *testing.T, module string) string {
	t.Helper()
	dir := t.TempDir()
	copyModule(t, module, dir)
	return dir
}

func copyModule(t *testing.T, module, to string) {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("downloading %s: %v\n%s", module, err, out)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(got.Dir)); err != nil {
		t.Fatal(err)
	}
}

// snapshotter takes the version of the kinds' module that goes with the controller: its
// own repository has that in a folder.
func snapshotter(t *testing.T) string {
	t.Helper()
	const kinds = "github.com/kubernetes-csi/external-snapshotter/client/v8"
	dir := download(t, "github.com/kubernetes-csi/external-snapshotter/v8@v8.7.0")
	for _, args := range [][]string{{"mod", "edit", "-dropreplace=" + kinds}, {"get", kinds + "@v8.7.0"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	copyModule(t, kinds+"@v8.7.0", filepath.Join(dir, "client"))
	return dir
}
