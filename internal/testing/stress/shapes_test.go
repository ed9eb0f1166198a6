package stress

import (
	"fmt"
	"strings"
)

// header is how the files of the large shapes begin: a reconciler, and what the
// generated functions need.
const header = `
import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

type Reconciler struct {
	client.Client
	queue workqueue.TypedRateLimitingInterface[string]
	seen  map[string]*corev1.Pod
}

var (
	_ = fmt.Sprint
	_ = time.Second
	_ = apierrors.IsNotFound
	_ metav1.Time
	_ cache.Store
	_ = controllerutil.AddFinalizer
	_ context.Context
	_ ctrl.Result
)
`

// statement returns the i-th of the statements that a reconciler is made of; they
// use ctx, pod, list, key and changed.
func statement(i int) string {
	forms := []string{
		"\tpod.Labels[\"label-%[1]d\"] = fmt.Sprint(%[1]d, pod.Name)\n",
		"\tif err := r.Get(ctx, key, pod); err != nil {\n\t\treturn ctrl.Result{}, client.IgnoreNotFound(err)\n\t}\n",
		"\tvar config%[1]d corev1.ConfigMap\n\tif err := r.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: \"config-%[1]d\"}, &config%[1]d); apierrors.IsNotFound(err) {\n\t\tchanged = true\n\t} else if err != nil {\n\t\treturn ctrl.Result{}, err\n\t}\n",
		"\tif changed && config%[2]d.Data[\"key\"] != pod.Name {\n\t\tconfig%[2]d.Data[\"key\"] = pod.Name\n\t\tif err := r.Update(ctx, &config%[2]d); err != nil {\n\t\t\treturn ctrl.Result{}, fmt.Errorf(\"updating: %%w\", err)\n\t\t}\n\t}\n",
		"\tfor i := range list.Items {\n\t\tif list.Items[i].Name == \"pod-%[1]d\" {\n\t\t\tcontinue\n\t\t}\n\t\tlist.Items[i].Spec.NodeName = pod.Spec.NodeName\n\t\tif err := r.Update(ctx, &list.Items[i]); err != nil {\n\t\t\treturn ctrl.Result{}, err\n\t\t}\n\t}\n",
		"\tctx%[1]d, cancel%[1]d := context.WithTimeout(ctx, %[1]d*time.Second)\n\tif err := r.List(ctx%[1]d, list); err != nil {\n\t\tcancel%[1]d()\n\t\treturn ctrl.Result{}, err\n\t}\n\tcancel%[1]d()\n",
		"\tswitch pod.Status.Phase {\n\tcase corev1.PodRunning:\n\t\tpod.Status.Message = \"%[1]d\"\n\tcase corev1.PodFailed:\n\t\tr.queue.AddRateLimited(pod.Name)\n\tdefault:\n\t\tchanged = !changed\n\t}\n",
		"\tif controllerutil.AddFinalizer(pod, \"example.com/%[1]d\") {\n\t\tif err := r.Update(ctx, pod); err != nil {\n\t\t\treturn ctrl.Result{}, err\n\t\t}\n\t}\n",
		"\tif !pod.DeletionTimestamp.IsZero() {\n\t\tcontrollerutil.RemoveFinalizer(pod, \"example.com/%[2]d\")\n\t\tif err := r.Patch(ctx, pod, client.MergeFrom(pod.DeepCopy())); err != nil {\n\t\t\treturn ctrl.Result{}, err\n\t\t}\n\t}\n",
		"\tif err := r.Status().Update(ctx, pod); err != nil {\n\t\treturn ctrl.Result{RequeueAfter: time.Minute}, nil\n\t}\n",
		"\tgo func() {\n\t\tselect {\n\t\tcase <-ctx.Done():\n\t\tcase <-time.After(%[1]d * time.Second):\n\t\t}\n\t}()\n",
		"\tr.seen[key.Name+\"%[1]d\"] = pod.DeepCopy()\n\tdefer delete(r.seen, key.Name+\"%[1]d\")\n",
	}
	kind := i % len(forms)
	// The declaration of the variable that a form uses stands before it.
	last := map[int]int{3: i - 1, 8: i - 1}[kind]
	text := strings.ReplaceAll(forms[kind], "%[2]d", fmt.Sprint(last))
	return fmt.Sprintf(strings.ReplaceAll(text, "%[1]d", fmt.Sprint(i))+"%s", "")
}

// reconcile returns a method of n statements.
func reconcile(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc (r *Reconciler) %s(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n", name)
	b.WriteString("\tkey, pod, list, changed := req.NamespacedName, new(corev1.Pod), new(corev1.PodList), false\n")
	for i := range n {
		b.WriteString(statement(i))
	}
	b.WriteString("\t_ = changed\n\treturn ctrl.Result{}, nil\n}\n")
	return b.String()
}

// statements is one function of n statements, not counting those within them.
func statements(n int) string { return header + reconcile("Reconcile", n) }

// functions is many functions of 60 statements, n statements in all.
func functions(n int) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range n / 60 {
		b.WriteString(reconcile(fmt.Sprintf("Reconcile%d", i), 60))
	}
	return b.String()
}

// straight is one function of n statements without branches.
func straight(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n\tpod := new(corev1.Pod)\n")
	for i := range n {
		fmt.Fprintf(&b, "\tpod.Annotations[%q] = fmt.Sprint(pod.Name, %d)\n", fmt.Sprint("note", i), i)
	}
	b.WriteString("\treturn ctrl.Result{}, r.Update(ctx, pod)\n}\n")
	return b.String()
}

// deferred is one function of n deferred calls, some in branches.
func deferred(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (_ ctrl.Result, err error) {\n\tpod := new(corev1.Pod)\n")
	for i := range n {
		fmt.Fprintf(&b, "\tif pod.Labels[%q] == \"\" {\n\t\tdefer func() {\n\t\t\tif e := r.Status().Update(ctx, pod); e != nil {\n\t\t\t\terr = e\n\t\t\t}\n\t\t}()\n\t}\n", fmt.Sprint("label", i))
	}
	b.WriteString("\treturn ctrl.Result{}, r.Update(ctx, pod)\n}\n")
	return b.String()
}

// nested is n ifs and loops within each other, with an object changed in each.
func nested(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n\tpod := new(corev1.Pod)\n")
	for i := range n {
		if i%3 == 2 {
			fmt.Fprintf(&b, "for range %d {\n", i)
		} else {
			fmt.Fprintf(&b, "if pod.Labels[%q] == \"\" {\n", fmt.Sprint("label", i))
		}
		fmt.Fprintf(&b, "pod.Labels[%q] = \"x\"\n", fmt.Sprint("label", i))
	}
	b.WriteString("if err := r.Update(ctx, pod); err != nil {\nreturn ctrl.Result{}, err\n}\n")
	b.WriteString(strings.Repeat("}\n", n))
	b.WriteString("\treturn ctrl.Result{}, r.Status().Update(ctx, pod)\n}\n")
	return b.String()
}

// literals is n function literals within each other.
func literals(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n\tpod := new(corev1.Pod)\n")
	for i := range n {
		fmt.Fprintf(&b, "if err := func() error {\npod.Labels[%q] = \"x\"\n", fmt.Sprint("label", i))
	}
	b.WriteString("if err := r.Update(ctx, pod); err != nil {\nreturn err\n}\n")
	b.WriteString(strings.Repeat("return r.Status().Update(ctx, pod)\n}(); err != nil {\nfmt.Println(err)\n}\n", n))
	b.WriteString("\treturn ctrl.Result{}, r.Status().Update(ctx, pod)\n}\n")
	return b.String()
}

// cases is a switch of n cases in a loop.
func cases(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n\tpod := new(corev1.Pod)\n\tfor {\n\tswitch pod.Name {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tcase \"pod-%d\":\n\t\tpod.Status.Message = \"%d\"\n\t\tif err := r.Update(ctx, pod); err != nil {\n\t\t\treturn ctrl.Result{}, err\n\t\t}\n", i, i)
	}
	b.WriteString("\tdefault:\n\t\treturn ctrl.Result{}, r.Status().Update(ctx, pod)\n\t}\n\t}\n}\n")
	return b.String()
}

// composite is a composite literal of n elements, and as many that a function
// makes.
func composite(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nvar pods = map[string]corev1.Pod{\n")
	element := func(i int) {
		fmt.Fprintf(&b, "\t\"pod-%d\": {ObjectMeta: metav1.ObjectMeta{Name: \"pod-%d\", Finalizers: []string{\"example.com/%d\"}}, Spec: corev1.PodSpec{NodeName: \"x\"}},\n", i, i, i)
	}
	for i := range n {
		element(i)
	}
	b.WriteString("}\n\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n\tpods := map[string]corev1.Pod{\n")
	for i := range n {
		element(i)
	}
	b.WriteString("\t}\n\tpod := pods[req.Name]\n\treturn ctrl.Result{}, r.Update(ctx, &pod)\n}\n")
	return b.String()
}

// chain is n functions of which each calls the next with an object.
func chain(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n\tpod := new(corev1.Pod)\n\tpod.Status.Message = \"x\"\n\treturn ctrl.Result{}, r.step0(ctx, pod, func() {})\n}\n")
	for i := range n {
		fmt.Fprintf(&b, "\nfunc (r *Reconciler) step%d(ctx context.Context, pod *corev1.Pod, then func()) error {\n\tif pod.Name == \"\" {\n\t\treturn nil\n\t}\n\tctx, cancel := context.WithTimeout(ctx, time.Minute)\n\tdefer cancel()\n", i)
		if i < n-1 {
			fmt.Fprintf(&b, "\treturn r.step%d(ctx, pod, then)\n}\n", i+1)
		} else {
			b.WriteString("\tthen()\n\treturn r.Update(ctx, pod)\n}\n")
		}
	}
	return b.String()
}

// mutual is n functions that call each other, in one large cycle and many small
// ones.
func mutual(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n\tpod := new(corev1.Pod)\n\tpod.Status.Message = \"x\"\n\t_, err := r.step0(ctx, pod)\n\treturn ctrl.Result{}, err\n}\n")
	for i := range n {
		fmt.Fprintf(&b, `
func (r *Reconciler) step%d(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	if pod.Name == "%[1]d" {
		return pod, r.Update(ctx, pod)
	}
	pod, err := r.step%[2]d(ctx, pod)
	if err != nil {
		return nil, err
	}
	pod.Status.Phase = corev1.PodFailed
	return r.step%[3]d(context.WithValue(ctx, r, pod), pod)
}
`, i, (i+1)%n, (i*7+3)%n)
	}
	return b.String()
}

// registered is n event handlers, each on an informer of its own, and n
// goroutines that work their queues.
func registered(n int) string {
	var b strings.Builder
	b.WriteString(header + "\nfunc (r *Reconciler) Start(ctx context.Context, informers []cache.SharedIndexInformer) {\n")
	for i := range n {
		fmt.Fprintf(&b, `
	_, _ = informers[%d].AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { r.handle%[1]d(obj) },
		DeleteFunc: func(obj any) {
			if pod, ok := obj.(*corev1.Pod); ok {
				r.handle%[1]d(pod)
			}
		},
	})
	go r.work%[1]d(ctx)
`, i)
	}
	b.WriteString("}\n")
	for i := range n {
		fmt.Fprintf(&b, `
func (r *Reconciler) handle%d(obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		r.queue.Add(key)
	}
}

func (r *Reconciler) work%[1]d(ctx context.Context) {
	for {
		key, shutdown := r.queue.Get()
		if shutdown {
			return
		}
		if _, err := r.Reconcile%[1]d(ctx, ctrl.Request{}); err != nil {
			r.queue.AddRateLimited(key)
		}
		r.queue.Done(key)
	}
}
`, i)
		b.WriteString(reconcile(fmt.Sprintf("Reconcile%d", i), 12))
	}
	return b.String()
}

// lines is n lines of constants, types and small functions, as generators
// write them.
func lines(n int) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range n / 10 {
		fmt.Fprintf(&b, `
const Name%d = "name-%[1]d"

// Item%[1]d is generated.
type Item%[1]d struct {
	Name string %[2]s
}

func (in *Item%[1]d) DeepCopy() *Item%[1]d { out := *in; return &out }
`, i, fmt.Sprintf("`json:\"name%d\"`", i))
	}
	return b.String()
}
