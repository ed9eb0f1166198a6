package stress

import (
	"fmt"
	"strings"
)

// variables are what tangled copies to and fro: how a variable of each type is made, and used.
var variables = []struct{ name, kind, made, used string }{
	{"pod", "*corev1.Pod", "new(corev1.Pod)", "%s.Labels[\"a\"] = \"b\"\nif err := r.Update(ctx, %[1]s); err != nil {\nreturn result, err\n}\nif controllerutil.RemoveFinalizer(%[1]s, \"example.com/a\") {\n_ = r.Patch(ctx, %[1]s, client.MergeFrom(%[1]s))\n}"},
	{"value", "corev1.Pod", "corev1.Pod{}", "%s.Status.Message = \"x\"\nif err := r.Get(ctx, req.NamespacedName, &%[1]s); err != nil {\nreturn result, client.IgnoreNotFound(err)\n}\n_ = r.Status().Update(ctx, &%[1]s)"},
	{"around", "context.Context", "ctx", "if under, cancel := context.WithTimeout(%s, time.Minute); under != nil {\ndefer cancel()\n_ = r.List(under, new(corev1.PodList))\n}"},
	{"failed", "error", "fmt.Errorf(\"x\")", "if apierrors.IsConflict(%s) {\nreturn result, nil\n}"},
	{"wait", "time.Duration", "time.Second", "time.Sleep(%s)\nresult.RequeueAfter = %[1]s"},
	{"tell", "chan struct{}", "make(chan struct{})", "go func() { %s <- struct{}{} }()\nselect {\ncase <-%[1]s:\ncase <-ctx.Done():\n}"},
	{"do", "func(context.Context) error", "func(ctx context.Context) error { return nil }", "go %s(ctx)\nif err := %[1]s(context.Background()); err != nil {\nreturn result, err\n}"},
	{"all", "map[string]string", "map[string]string(nil)", "for k, v := range %s {\n%[1]s[k+v] = v\npod0.Annotations[\"all\"] += k\n}"},
	{"list", "[]string", "[]string(nil)", "%s = append(%[1]s, \"x\")\npod0.Finalizers = %[1]s"},
	{"store", "held", "held{}", "%s.next = &%[1]s\n_ = r.Update(%[1]s.ctx, %[1]s.pod)\n<-%[1]s.tell"},
	{"plain", "held", "held{pod: new(corev1.Pod)}", "%s.pod.Labels[\"a\"] = \"b\"\n_ = r.Update(%[1]s.ctx, %[1]s.pod)"},
	{"options", "workqueue.TypedRateLimitingQueueConfig[string]", "workqueue.TypedRateLimitingQueueConfig[string]{}", "workqueue.NewTypedRateLimitingQueueWithConfig(r.limiter, %s).ShutDown()"},
}

// tangled is n variables of each type that rules follow, which are copied into each
// other to and fro: in branches, in loops, in literals and through fields. A
// search that takes every way between them, and not every variable once, does not end.
func tangled(n int) string {
	var b strings.Builder
	b.WriteString(header + `
type held struct {
	ctx  context.Context
	pod  *corev1.Pod
	err  error
	wait time.Duration
	tell chan struct{}
	do   func(context.Context) error
	all  map[string]string
	list []string
	next *held
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
`)
	for _, v := range variables {
		for i := range n {
			fmt.Fprintf(&b, "%s%d := %s\n", v.name, i, v.made)
		}
	}
	for _, v := range variables {
		a := func(i int) string { return fmt.Sprint(v.name, i%n) }
		for i := range n {
			fmt.Fprintf(&b, "if req.Name == \"%d\" {\n%s, %s = %[3]s, %[2]s\n}\n", i, a(i), a(i+1))
			fmt.Fprintf(&b, "for req.Namespace == \"%d\" {\n%s, %s = %[3]s, %[2]s\n}\n", i, a(i*3+1), a(i*5+2))
			if v.name == "plain" {
				continue // captured by none
			}
			fmt.Fprintf(&b, "func() {\n%s, %s = %[2]s, %[1]s\n}()\n", a(i), a(i+2))
		}
	}
	for i := range n {
		fmt.Fprintf(&b, "store%d.ctx, store%[1]d.pod, store%[1]d.err, store%[1]d.wait = around%[2]d, pod%[2]d, failed%[2]d, wait%[2]d\n", i, (i+1)%n)
		fmt.Fprintf(&b, "store%d.tell, store%[1]d.do, store%[1]d.all, store%[1]d.list = tell%[2]d, do%[2]d, all%[2]d, list%[2]d\n", i, (i+1)%n)
		fmt.Fprintf(&b, "around%d, pod%[1]d, failed%[1]d, wait%[1]d = store%[2]d.ctx, store%[2]d.pod, store%[2]d.err, store%[2]d.wait\n", i, (i+2)%n)
		fmt.Fprintf(&b, "tell%d, do%[1]d, all%[1]d, list%[1]d = store%[2]d.tell, store%[2]d.do, store%[2]d.all, store%[2]d.list\n", i, (i+2)%n)
	}
	for _, v := range variables {
		for i := range n {
			fmt.Fprintf(&b, v.used+"\n", fmt.Sprint(v.name, i))
		}
	}
	for i := range n { // loops that end when something is as it should be
		fmt.Fprintf(&b, "for {\nfailed%d = r.Get(ctx, req.NamespacedName, pod%[1]d)\nif failed%[2]d == nil {\nbreak\n}\ntime.Sleep(wait%[1]d)\n}\n", i, (i+1)%n)
		fmt.Fprintf(&b, "for pod%d.Status.Phase != value%[2]d.Status.Phase || len(list%[1]d) > len(all%[2]d) {\ntime.Sleep(wait%[1]d)\n}\n", i, (i+1)%n)
	}
	for i := range n {
		fmt.Fprintf(&b, "if failed%d != nil {\nreturn result, failed%[1]d\n}\n", i)
	}
	b.WriteString("return result, err\n}\n")
	b.WriteString(results(n))
	return strings.Replace(b.String(), "\tseen  map", "\tlimiter workqueue.TypedRateLimiter[string]\n\tseen  map", 1)
}

// bare makes returns of named results of a use.
var bare = strings.NewReplacer("return result, err", "return", "return result, nil", "return", "return result, client.IgnoreNotFound(err)", "return", "if err := ", "if err = ")

// results does the same with n named results of each type, which are variables in memory that
// no literal captures, as the function defers something, in a loop that ends with their errors.
func results(n int) string {
	var b strings.Builder
	b.WriteString("\nfunc (r *Reconciler) waits(ctx context.Context, req ctrl.Request, pod0 *corev1.Pod) (")
	for _, v := range variables {
		for i := range n {
			fmt.Fprintf(&b, "%s%dr %s, ", v.name, i, v.kind)
		}
	}
	b.WriteString("result ctrl.Result, err error) {\ndefer recover()\nfor {\nfailed0r = r.Get(ctx, req.NamespacedName, pod0r)\n")
	for _, v := range variables {
		a := func(i int) string { return fmt.Sprint(v.name, i%n, "r") }
		for i := range n {
			fmt.Fprintf(&b, "if req.Name == \"%d\" {\n%s, %s = %[3]s, %s\n}\n", i, a(i), a(i+1), a(i+2))
		}
	}
	for i := range n {
		fmt.Fprintf(&b, "if failed%dr == nil {\nreturn\n}\ntime.Sleep(wait%[1]dr)\n", i)
	}
	b.WriteString("if req.Name == \"\" {\nbreak\n}\n}\n")
	for _, v := range variables {
		for i := range n {
			fmt.Fprintf(&b, bare.Replace(v.used)+"\n", fmt.Sprint(v.name, i, "r"))
		}
	}
	b.WriteString("return\n}\n")
	return b.String()
}

// complete is n functions of which each calls all others with what it was given, and
// keeps it in a field: there are more ways through them than can be tried.
func complete(n int) string {
	var b strings.Builder
	b.WriteString(header + `
type given struct {
	pod  *corev1.Pod
	tell chan string
	do   func(context.Context, *corev1.Pod) error
	wait time.Duration
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	g := &given{pod: new(corev1.Pod), tell: make(chan string), wait: time.Second}
	if err := r.Get(ctx, req.NamespacedName, g.pod); err != nil {
		return ctrl.Result{}, err
	}
	_, err := r.step0(ctx, g, g.pod, 0, nil)
	return ctrl.Result{}, err
}
`)
	for i := range n {
		fmt.Fprintf(&b, `
func (r *Reconciler) step%d(ctx context.Context, g *given, pod *corev1.Pod, wait time.Duration, failed error) (_ *corev1.Pod, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	switch pod.Name {
`, i)
		for j := range n {
			fmt.Fprintf(&b, `	case "%d":
		pod, err = r.step%[1]d(ctx, g, pod, wait+g.wait, failed)
		if err != nil {
			failed = err
		}
		g.pod, g.wait = pod, wait
		g.do = func(ctx context.Context, other *corev1.Pod) error {
			pod, err := r.step%[1]d(ctx, g, other, g.wait, err)
			g.tell <- pod.Name
			return err
		}
`, j)
		}
		b.WriteString(`	default:
		pod.Labels["a"] = "b"
		pod.Status.Message = "x"
		controllerutil.RemoveFinalizer(pod, "example.com/a")
		time.Sleep(wait)
		go g.do(ctx, pod)
		return pod, r.Update(ctx, pod)
	}
	if apierrors.IsNotFound(failed) {
		return pod, nil
	}
	return pod, failed
}
`)
	}
	return b.String()
}
