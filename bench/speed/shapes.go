package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// shapes are what a generated module can have more and more of: each makes the
// packages of a module with n of them, a file each.
var shapes = map[string]func(n int) map[string]string{
	"packages":   func(n int) map[string]string { return units(grownModule, n) },
	"functions":  functions,
	"statements": statements,
	"findings":   mistakes,
	"facts":      facts,
}

const grownModule = "example.com/grown"

// generateShape writes a module of a shape.
func generateShape(dir, libraries, shape string, n int) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(libraries, name))
		if err != nil {
			return err
		}
		text := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(data), "module "+grownModule)
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	for name, text := range shapes[shape](n) {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// inUnit is how many functions a file of functions has.
var inUnit = strings.Count(unit, "\nfunc ")

var unitsOwn = regexp.MustCompile(`\b(Reconciler|Controller|NewController|Ensure|finalizer)\b`)

// functions is one package of n functions, as those of the generated packages
// are, some to a file.
func functions(n int) map[string]string {
	files := make(map[string]string)
	text := strings.NewReplacer("PACKAGE", "grown", "\t// IMPORTS\n", "", "\t// CALLS\n", "").Replace(unit)
	for i := range n / inUnit {
		files[fmt.Sprintf("grown/grown%d.go", i)] = unitsOwn.ReplaceAllString(text, "${1}"+strconv.Itoa(i))
	}
	return files
}

const grownHeader = `package grown

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type Reconciler struct{ client.Client }

var (
	_ context.Context
	_ corev1.Pod
	_ cache.Store
	_ ctrl.Result
)
`

// statements is one function of n statements.
func statements(n int) map[string]string {
	var b strings.Builder
	b.WriteString(grownHeader + "\nfunc (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {\n\tpod := new(corev1.Pod)\n")
	for i := range n / 4 {
		fmt.Fprintf(&b, "\tif pod.Labels[\"l%d\"] == \"\" {\n\t\tpod.Labels[\"l%[1]d\"] = \"x\"\n\t\tif err := r.Update(ctx, pod); err != nil {\n\t\t\treturn ctrl.Result{}, err\n\t\t}\n\t}\n", i)
	}
	b.WriteString("\treturn ctrl.Result{}, nil\n}\n")
	return map[string]string{"grown/grown.go": b.String()}
}

// mistakes is n functions in each of which something is found.
func mistakes(n int) map[string]string {
	var b strings.Builder
	b.WriteString(grownHeader)
	for i := range n {
		fmt.Fprintf(&b, "\nfunc handler%d() cache.ResourceEventHandlerFuncs {\n\treturn cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {\n\t\tprintln(obj.(*corev1.Pod).Name)\n\t}}\n}\n", i)
	}
	return map[string]string{"grown/grown.go": b.String()}
}

// facts is n functions with facts about them, and another package in which each
// is called.
func facts(n int) map[string]string {
	var b, users strings.Builder
	b.WriteString(grownHeader)
	users.WriteString("package users\n\nimport (\n\t\"context\"\n\n\tcorev1 \"k8s.io/api/core/v1\"\n\n\t\"example.com/grown/grown\"\n)\n")
	for i := range n {
		fmt.Fprintf(&b, "\n// Set%d stores.\nfunc (r *Reconciler) Set%[1]d(ctx context.Context, pod *corev1.Pod) error {\n\tpod.Status.Reason = \"x\"\n\treturn r.Status().Update(ctx, pod)\n}\n", i)
		fmt.Fprintf(&users, "\nfunc use%d(ctx context.Context, r *grown.Reconciler, pod *corev1.Pod) error {\n\tpod.Status.Message = \"y\"\n\treturn r.Set%[1]d(ctx, pod)\n}\n\nvar _ = use%[1]d\n", i)
	}
	return map[string]string{"grown/grown.go": b.String(), "users/users.go": users.String()}
}
