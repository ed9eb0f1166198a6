package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sizes is a flag: numbers of packages, or of something else.
type sizes struct {
	shape   string // empty for packages
	numbers []int
}

func (s *sizes) String() string { return fmt.Sprint(s.numbers) }

func (s *sizes) Set(text string) error {
	if shape, rest, ok := strings.Cut(text, "="); ok {
		if shapes[shape] == nil {
			return fmt.Errorf("nothing is called %q; there are %s", shape, strings.Join(slices.Sorted(maps.Keys(shapes)), ", "))
		}
		s.shape, text = shape, rest
	}
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number", field)
		}
		s.numbers = append(s.numbers, n)
	}
	return nil
}

// measureGrowth measures load only and opvet on generated modules and prints
// what each package costs.
func measureGrowth(c config, growth sizes) error {
	temp, err := os.MkdirTemp("", "opvet-growth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/opvet/opvet").Output()
	if err != nil {
		return fmt.Errorf("opvet's checkout: %w", err)
	}
	libraries := filepath.Join(strings.TrimSpace(string(out)), "testdata")
	if growth.shape != "" {
		return measureShape(c, growth, temp, libraries)
	}
	// To load a module is to compile it, once: without paths in what is
	// compiled, the larger modules share the packages of the smaller ones, and
	// the next run finds all of them.
	if err := os.Setenv("GOFLAGS", "-trimpath"); err != nil {
		return err
	}

	if c.leaf != "" || c.base != "" {
		return measureChanges(c, growth.numbers, temp, libraries)
	}
	t := newTable(os.Stdout, "packages", "load only, wall s", "CPU s", "max RSS MB", "opvet, wall s", "CPU s", "max RSS MB", "analysis, CPU ms a package", "findings")
	for _, n := range growth.numbers {
		c.dir = filepath.Join(temp, strconv.Itoa(n))
		if err := generate(c.dir, libraries, n); err != nil {
			return fmt.Errorf("generating a module: %w", err)
		}
		programs, err := prepare(config{dir: c.dir, patterns: c.patterns}, temp)
		if err != nil {
			return err
		}
		if err := runAll(programs, c); err != nil {
			return err
		}
		load, opvet := programs[0].median(), programs[1].median()
		each := (opvet.cpu - load.cpu) / time.Duration(n)
		t.row(fmt.Sprint(n), seconds(load.wall), seconds(load.cpu), fmt.Sprint(load.rss>>20),
			seconds(opvet.wall), seconds(opvet.cpu), fmt.Sprint(opvet.rss>>20),
			fmt.Sprintf("%.1f", each.Seconds()*1000), fmt.Sprint(opvet.lines))
	}
	return t.w.Flush()
}

// measureChanges measures what [measureAll] does on generated modules: with a cache, and with
// files changed, which are named as they are there.
func measureChanges(c config, numbers []int, temp, libraries string) error {
	for _, n := range numbers {
		c.dir = filepath.Join(temp, strconv.Itoa(n))
		if err := generate(c.dir, libraries, n); err != nil {
			return fmt.Errorf("generating a module: %w", err)
		}
		for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=speed", "-c", "user.email=speed@localhost", "commit", "-q", "-m", "generated"}} {
			git := exec.Command("git", args...)
			git.Dir = c.dir
			if err := run(git); err != nil {
				return err
			}
		}
		if err := measureAll(c); err != nil {
			return err
		}
	}
	return nil
}

// measureShape measures the analysis alone, of modules that have more and more
// of something. They are loaded from source, since to compile them would take
// longer by far.
func measureShape(c config, growth sizes, temp, libraries string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	t := newTable(os.Stdout, growth.shape, "loading, CPU s", "analysis, CPU s", "CPU ms each", "settling, %", "max RSS MB", "findings")
	for _, n := range growth.numbers {
		dir := filepath.Join(temp, growth.shape+strconv.Itoa(n))
		if err := generateShape(dir, libraries, growth.shape, n); err != nil {
			return fmt.Errorf("generating a module: %w", err)
		}
		var best inSource
		var rss int64
		for range c.n {
			cmd := exec.Command(self, "-source", "-dir="+dir)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("analysing %d %s: %w", n, growth.shape, err)
			}
			var one inSource
			if err := json.Unmarshal(out, &one); err != nil {
				return err
			}
			if best.Analysis == 0 || one.Analysis < best.Analysis {
				best, rss = one, residentSet(cmd.ProcessState)
			}
		}
		t.row(fmt.Sprint(n), seconds(best.Loading), seconds(best.Analysis), fmt.Sprintf("%.2f", best.Analysis.Seconds()*1000/float64(n)), fmt.Sprintf("%.1f", best.Settling*100),
			fmt.Sprint(rss>>20), fmt.Sprint(best.Findings))
	}
	return t.w.Flush()
}

// generate writes a module of n packages that look like an operator's, with
// the versions of the libraries in another module's go.mod.
func generate(dir, libraries string, n int) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(libraries, name))
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, name), string(data)); err != nil {
			return err
		}
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	module, _, _ := strings.Cut(strings.TrimPrefix(string(mod[strings.Index(string(mod), "module "):]), "module "), "\n")
	for name, text := range units(strings.TrimSpace(module), n) {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// units are the files of n packages of a module. Each package uses a few that come
// before it, as those of an operator do: the next one below, and one far down.
func units(module string, n int) map[string]string {
	files := make(map[string]string)
	for i := range n {
		name := "unit" + strconv.Itoa(i)
		var imports, calls strings.Builder
		for _, used := range usedBy(i) {
			fmt.Fprintf(&imports, "\t\"%s/internal/unit%d\"\n", module, used)
			fmt.Fprintf(&calls, "\tif err := unit%d.Ensure(ctx, r.Client, obj); err != nil {\n\t\treturn ctrl.Result{}, err\n\t}\n", used)
		}
		files[filepath.Join("internal", name, name+".go")] = strings.NewReplacer("PACKAGE", name, "\t// IMPORTS\n", imports.String(), "\t// CALLS\n", calls.String()).Replace(unit)
	}
	return files
}

func usedBy(i int) []int {
	var used []int
	if i%8 != 0 {
		used = append(used, i-1)
	}
	if far := i / 2; i >= 4 && far != i-1 {
		used = append(used, far)
	}
	return used
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// unit is one package of a generated module: a reconciler, a controller with
// an informer and a queue, and a helper that other packages call.
const unit = `// Package PACKAGE is generated for a measurement.
package PACKAGE

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	// IMPORTS
)

const finalizer = "example.com/PACKAGE"

// Reconciler keeps a config map beside each pod.
type Reconciler struct {
	client.Client
	Interval time.Duration
}

// SetupWithManager registers the reconciler.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Owns(&corev1.ConfigMap{}).Complete(r)
}

// Reconcile does what is due for one pod.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	obj := &corev1.Pod{}
	if err := r.Get(ctx, req.NamespacedName, obj); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !obj.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finalize(ctx, obj)
	}
	if controllerutil.AddFinalizer(obj, finalizer) {
		if err := r.Update(ctx, obj); err != nil {
			return ctrl.Result{}, err
		}
	}
	// CALLS
	if err := r.ensureConfig(ctx, obj); err != nil {
		return ctrl.Result{}, fmt.Errorf("config: %w", err)
	}
	if err := r.setStatus(ctx, obj, "Ready"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: r.Interval}, nil
}

func (r *Reconciler) finalize(ctx context.Context, obj *corev1.Pod) error {
	if !controllerutil.ContainsFinalizer(obj, finalizer) {
		return nil
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: obj.Name, Namespace: obj.Namespace}}
	if err := r.Delete(ctx, config); client.IgnoreNotFound(err) != nil {
		return err
	}
	controllerutil.RemoveFinalizer(obj, finalizer)
	return r.Update(ctx, obj)
}

func (r *Reconciler) ensureConfig(ctx context.Context, obj *corev1.Pod) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: obj.Name, Namespace: obj.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		if config.Data == nil {
			config.Data = map[string]string{}
		}
		config.Data["node"] = obj.Spec.NodeName
		for _, container := range obj.Spec.Containers {
			config.Data[container.Name] = container.Image
		}
		return controllerutil.SetControllerReference(obj, config, r.Scheme())
	})
	return err
}

func (r *Reconciler) setStatus(ctx context.Context, obj *corev1.Pod, reason string) error {
	base := obj.DeepCopy()
	obj.Status.Reason = reason
	for i := range obj.Status.Conditions {
		if obj.Status.Conditions[i].Type == corev1.PodReady {
			obj.Status.Conditions[i].Message = reason
		}
	}
	return r.Status().Patch(ctx, obj, client.MergeFrom(base))
}

// Ensure is what other packages call.
func Ensure(ctx context.Context, c client.Client, obj *corev1.Pod) error {
	service := &corev1.Service{}
	err := c.Get(ctx, client.ObjectKeyFromObject(obj), service)
	if apierrors.IsNotFound(err) {
		service = &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: obj.Name, Namespace: obj.Namespace},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"pod": obj.Name}},
		}
		return c.Create(ctx, service)
	}
	if err != nil {
		return err
	}
	if service.Spec.Selector["pod"] != obj.Name {
		service.Spec.Selector = map[string]string{"pod": obj.Name}
		return c.Update(ctx, service)
	}
	return nil
}

// Controller works without controller-runtime.
type Controller struct {
	clientset kubernetes.Interface
	lister    listers.NodeLister
	synced    cache.InformerSynced
	queue     workqueue.TypedRateLimitingInterface[string]
}

// NewController makes a controller that watches nodes.
func NewController(clientset kubernetes.Interface, factory informers.SharedInformerFactory) (*Controller, error) {
	nodes := factory.Core().V1().Nodes()
	c := &Controller{
		clientset: clientset,
		lister:    nodes.Lister(),
		synced:    nodes.Informer().HasSynced,
		queue:     workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	_, err := nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, obj any) { c.enqueue(obj) },
		DeleteFunc: c.enqueue,
	})
	return c, err
}

func (c *Controller) enqueue(obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return
	}
	c.queue.Add(key)
}

// Run works until the context ends.
func (c *Controller) Run(ctx context.Context, workers int) {
	defer c.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return
	}
	for range workers {
		go wait.UntilWithContext(ctx, c.work, time.Second)
	}
	<-ctx.Done()
}

func (c *Controller) work(ctx context.Context) {
	for c.next(ctx) {
	}
}

func (c *Controller) next(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

func (c *Controller) sync(ctx context.Context, key string) error {
	node, err := c.lister.Get(key)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if node.Labels["example.com/PACKAGE"] == "true" {
		return nil
	}
	node = node.DeepCopy()
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels["example.com/PACKAGE"] = "true"
	_, err = c.clientset.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}
`
