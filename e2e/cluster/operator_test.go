package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// operator is a program that runs against the server.
type operator struct {
	name string
	// namespace is the operator's, if it has a name of its own for that.
	namespace string
	// source returns the folder of the module that it is built from.
	source func(t *testing.T) string
	pkg    string
	// args and env are those of the program; KUBECONFIG, NAMESPACE, METRICS and DIR stand
	// for the file, the operator's namespace, a free address, and a folder for the
	// run.
	args, env []string
	// crds are the files of its kinds' definitions, from the module's folder, and ownCRDs from
	// this one.
	crds, ownCRDs []string
	// prepare makes what the program wants to find in the folder of a run, and returns
	// more of the environment.
	prepare func(t *testing.T, dir string) []string
	// groups are those of its own kinds.
	groups []string
	// differs says of permissions what is not as it should be when they are taken away:
	// the server refuses nothing, or opvet does not report them.
	differs map[string]string
	// cautious is why opvet may be silent about what it cannot be certain of, or empty.
	cautious string
}

// process is a run of an operator.
type process struct {
	cmd     *exec.Cmd
	log     string
	metrics string // the address
	done    <-chan struct{}
}

// run starts the operator under its account.
func (o *operator) run(t *testing.T, exe, kubeconfig, namespace string) *process {
	t.Helper()
	dir := t.TempDir()
	p := &process{log: filepath.Join(dir, o.name+".log"), metrics: freeAddress(t)}
	fill := strings.NewReplacer("KUBECONFIG", kubeconfig, "NAMESPACE", namespace, "METRICS", p.metrics, "DIR", dir)
	var args []string
	for _, arg := range o.args {
		args = append(args, fill.Replace(arg))
	}
	p.cmd = exec.Command(exe, args...)
	p.cmd.Dir = dir
	// Where the server can stream lists, client-go asks for a watch alone, and other
	// servers are asked for a list.
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "KUBE_FEATURE_WatchListClient=false")
	for _, env := range o.env {
		p.cmd.Env = append(p.cmd.Env, fill.Replace(env))
	}
	if o.prepare != nil {
		p.cmd.Env = append(p.cmd.Env, o.prepare(t, dir)...)
	}
	p.done = start(t, dir, o.name, p.cmd)
	return p
}

// scrape asks for the metrics, so that the operator asks who does.
func (p *process) scrape(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 5 * time.Second}
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+p.metrics+"/metrics", http.NoBody)
		if err != nil {
			return
		}
		req.Header.Set("Authorization", "Bearer "+adminToken)
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close()
		}
		pause(ctx, time.Second)
	}
}

// stop ends the run.
func (p *process) stop() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// test runs an operator with the roles that opvet prints, and then with one permission
// less each time.
func (o *operator) test(t *testing.T, s *server) {
	dir := o.source(t)
	exe := build(t, "operator-"+o.name, dir, o.pkg)
	namespace := o.namespace
	if namespace == "" {
		namespace = "opvet-" + o.name
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	s.makeAccount(t, namespace, kubeconfig)
	c := s.cluster()
	var crds []string
	for _, pattern := range o.crds {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no definitions at %s: %v", pattern, err)
		}
		crds = append(crds, files...)
	}
	c.install(t, readObjects(t, append(crds, o.ownCRDs...)...))
	script := readScenario(t, filepath.Join("testdata", "scenarios", o.name))
	granted := printedRoles(t, dir, o.pkg)

	r := &runner{operator: o, server: s, cluster: c, dir: dir, exe: exe, kubeconfig: kubeconfig, namespace: namespace, script: script, used: make(map[permission]bool)}
	if !t.Run("all", func(t *testing.T) {
		requests := r.all(t, granted)
		for _, why := range forbidden(requests) {
			t.Errorf("forbidden: %s", why)
		}
		for _, request := range requests {
			r.used[request.permission] = true
		}
	}) {
		return
	}
	for _, p := range granted.permissions() {
		if !r.used[p] && p.Sub != "finalizers" {
			t.Logf("not asked for: %s", p)
		}
	}
	for i, p := range granted.permissions() {
		t.Run("without "+p.String(), func(t *testing.T) { r.compare(t, i, granted.without(p), p) })
	}
}

// compare takes a permission away, and compares what the server says with what opvet
// does.
func (r *runner) compare(t *testing.T, i int, less roles, missing permission) {
	reported := make(chan bool, 1)
	reports := reports(t, r.dir, r.pkg, less, missing)
	go func() { reported <- reports() }()
	refuses, reportsIt := r.without(t, i, less, missing), <-reported
	why, differs := r.differs[missing.String()]
	switch {
	case differs && refuses && reportsIt:
		t.Errorf("the server refuses, and opvet reports it: no difference any more (%s)", why)
	case differs:
		t.Logf("the server refuses: %t; opvet reports it: %t (%s)", refuses, reportsIt, why)
	case !refuses && r.used[missing], !reportsIt && r.cautious == "":
		t.Errorf("the server refuses: %t; opvet reports it: %t", refuses, reportsIt)
	case !reportsIt:
		t.Logf("not reported: %s", r.cautious)
	case !refuses:
		t.Log("not refused: the scenario does not get there")
	}
}

// runner runs one operator again and again.
type runner struct {
	*operator
	*server
	*cluster
	dir, exe, kubeconfig, namespace string
	script                          scenario
	used                            map[permission]bool
}

// all runs the whole scenario, and returns what the operator has asked for.
func (r *runner) all(t *testing.T, granted roles) []request {
	t.Helper()
	p, script := r.begin(t, "all", granted)
	defer r.end(t, p, "all")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go p.scrape(ctx)
	if err := r.play(t.Context(), script); err != nil {
		t.Errorf("playing the scenario: %v\n%s", err, tail(p.log))
	}
	select {
	case <-p.done:
		t.Errorf("the operator has ended:\n%s", tail(p.log))
	default:
	}
	return r.audit.next(t, userOf(r.namespace))
}

// without runs the scenario until the server refuses what is no longer granted.
func (r *runner) without(t *testing.T, i int, less roles, missing permission) bool {
	t.Helper()
	space := fmt.Sprintf("less-%d", i)
	p, script := r.begin(t, space, less)
	defer r.end(t, p, space)
	ctx, cancel := context.WithCancel(t.Context())
	go p.scrape(ctx)
	played := make(chan struct{})
	go func() {
		defer close(played)
		_ = r.play(ctx, script) // what the operator does not do, cannot be changed
	}()
	defer func() {
		cancel()
		<-played
	}()
	for {
		if slices.ContainsFunc(r.audit.next(t, userOf(r.namespace)), func(r request) bool { return r.isRefusalOf(missing) }) {
			return true
		}
		select {
		case <-played:
			return slices.ContainsFunc(r.audit.next(t, userOf(r.namespace)), func(r request) bool { return r.isRefusalOf(missing) })
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// begin grants the roles and starts the operator in an empty cluster.
func (r *runner) begin(t *testing.T, space string, granted roles) (*process, scenario) {
	t.Helper()
	r.grant(t, r.namespace, granted)
	r.audit.next(t, "")
	return r.run(t, r.exe, r.kubeconfig, r.namespace), r.script.in(t, r.name+"-"+space)
}

func (r *runner) end(t *testing.T, p *process, space string) {
	t.Helper()
	p.stop()
	groups := make(map[string]bool)
	for _, group := range r.groups {
		groups[group] = true
	}
	r.sweep(t, groups, r.namespace, r.name+"-"+space)
}
