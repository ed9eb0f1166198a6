// Package ignored registers types and does not ask whether it has worked.
package ignored

import (
	"fmt"
	"log"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	local        = runtime.NewScheme()
	groupVersion = schema.GroupVersion{Group: "store.example.com", Version: "v1"}
	builder      = &scheme.Builder{GroupVersion: groupVersion}
)

// In a variable, to have it done early.
var _ = corev1.AddToScheme(local) // want `hygiene: nobody reads the error of corev1\.AddToScheme: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`

// The scaffold of old kubebuilder versions.
func init() {
	_ = clientgoscheme.AddToScheme(local) // want `hygiene: nobody reads the errors of clientgoscheme\.AddToScheme and 1 more: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
	_ = appsv1.AddToScheme(local)
	utilruntime.Must(batchv1.AddToScheme(local))
}

// As a statement, into a scheme that all share.
func init() {
	corev1.AddToScheme(clientgoscheme.Scheme) // want `hygiene: nobody reads the error of corev1\.AddToScheme: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// A method of a builder.
func build(s *runtime.Scheme) {
	builder.AddToScheme(s) // want `hygiene: nobody reads the error of builder\.AddToScheme: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// The first error is lost.
func overwritten(s *runtime.Scheme) error {
	err := corev1.AddToScheme(s) // want `hygiene: nobody reads the error of corev1\.AddToScheme: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
	err = appsv1.AddToScheme(s)
	return err
}

// Each one in a list.
func all(s *runtime.Scheme) {
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme} {
		_ = add(s) // want `hygiene: nobody reads the error of add: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
	}
}

// The author has said so to errcheck.
func onPurpose(s *runtime.Scheme) {
	corev1.AddToScheme(s) //nolint:errcheck
	//nolint:gosec,errcheck // the scheme has it already
	appsv1.AddToScheme(s)
	batchv1.AddToScheme(s) //nolint:gosec // want `hygiene: nobody reads the error of batchv1\.AddToScheme: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// Later than the function.
func deferred(s *runtime.Scheme) {
	defer corev1.AddToScheme(s) // want `hygiene: nobody reads the error of corev1\.AddToScheme: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// In a function of a struct's field.
type installer struct {
	Install func(*runtime.Scheme) error
}

func (i installer) run(s *runtime.Scheme) {
	i.Install(s) // want `hygiene: nobody reads the error of i\.Install: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// Which version is preferred.
func prefer(s *runtime.Scheme) {
	_ = s.SetVersionPriority(groupVersion) // want `hygiene: nobody reads the error of s\.SetVersionPriority: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// How to convert.
func convert(s *runtime.Scheme, fn conversion.ConversionFunc) {
	_ = s.AddConversionFunc((*corev1.Pod)(nil), (*corev1.Node)(nil), fn) // want `hygiene: nobody reads the error of s\.AddConversionFunc: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// By which fields objects are selected.
func fields(s *runtime.Scheme) {
	_ = s.AddFieldLabelConversionFunc(groupVersion.WithKind("Backup"), runtime.DefaultMetaV1FieldSelectorConversion) // want `hygiene: nobody reads the error of s\.AddFieldLabelConversionFunc: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// A function of this package that may fail.
func add(s *runtime.Scheme) error { return corev1.AddToScheme(s) }

func useAdd(s *runtime.Scheme) {
	_ = add(s) // want `hygiene: nobody reads the error of add: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// A function that does more than register types may fail now and then.
func addFromFile(s *runtime.Scheme) error {
	if _, err := os.ReadFile("kinds.yaml"); err != nil {
		return err
	}
	return corev1.AddToScheme(s)
}

func useFile(s *runtime.Scheme) {
	_ = appsv1.AddToScheme(s)
	_ = addFromFile(s) // want `loss: nobody reads the errors of addFromFile and 1 more: .*; use utilruntime.Must, or return the error \(schemeregister/error-ignored\)`
}

// One that only says more about the error does not.
func addWrapped(s *runtime.Scheme) error {
	if err := corev1.AddToScheme(s); err != nil {
		return fmt.Errorf("adding the core kinds: %w", err)
	}
	return nil
}

func useWrapped(s *runtime.Scheme) {
	_ = addWrapped(s) // want `hygiene: nobody reads the error of addWrapped: `
}

// One comment for one of two.
func partlySilenced(s *runtime.Scheme) {
	_ = corev1.AddToScheme(s) //nolint:schemeregister
	_ = appsv1.AddToScheme(s) // want `hygiene: nobody reads the error of appsv1.AddToScheme: `
}

// Silenced.
func silenced(s *runtime.Scheme) {
	_ = corev1.AddToScheme(s) //nolint:schemeregister
}

// What follows is right.

func checked() error {
	if err := corev1.AddToScheme(runtime.NewScheme()); err != nil {
		return err
	}
	return appsv1.AddToScheme(local)
}

func logged(s *runtime.Scheme) {
	if err := corev1.AddToScheme(s); err != nil {
		log.Fatal(err)
	}
}

func collected(s *runtime.Scheme) error {
	var errs []error
	errs = append(errs, corev1.AddToScheme(s), appsv1.AddToScheme(s))
	return errs[0]
}

func named(s *runtime.Scheme) (err error) {
	defer func() { log.Print(err) }()
	err = corev1.AddToScheme(s)
	return err
}

// It does not fail.
func known(s *runtime.Scheme) error {
	s.AddKnownTypes(groupVersion, &corev1.Pod{})
	metav1.AddToGroupVersion(s, groupVersion)
	return nil
}

func useKnown(s *runtime.Scheme) { _ = known(s) }

// Nor does one that returns nothing.
func install(s *runtime.Scheme) { utilruntime.Must(corev1.AddToScheme(s)) }

func useInstall(s *runtime.Scheme) { install(s) }

// A question about a scheme registers nothing.
func converted(s *runtime.Scheme, in, out any) { _ = s.Convert(in, out, nil) }

// For tests.
type testingT interface {
	Helper()
	Fatalf(format string, args ...any)
}

func testScheme(t testingT) *runtime.Scheme {
	s := runtime.NewScheme()
	_ = corev1.AddToScheme(s)
	return s
}
