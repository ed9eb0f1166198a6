package controllers

import (
	"fmt"
	"path"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
)

// Place is a place in the source. The file's name and the package say which file
// it is, on every machine.
type Place struct {
	Package string // the path of the package
	File    string // the name of the file, without folders
	Line    int
}

// IsValid reports whether the place is known.
func (p Place) IsValid() bool { return p.File != "" }

// String words a place for messages: "rollout/controller.go:494".
func (p Place) String() string {
	if !p.IsValid() {
		return ""
	}
	return fmt.Sprintf("%s/%s:%d", path.Base(p.Package), p.File, p.Line)
}

// Form is in which form objects of a kind are used.
type Form string

// The forms. Metadata is what PartialObjectMetadata and OnlyMetadata give.
const (
	Typed        Form = "typed"
	Unstructured Form = "unstructured"
	Metadata     Form = "metadata"
)

// Kind is an API kind in a certain version, as far as it is known.
type Kind struct {
	// ID is [kubeapi.KindID]: the path of the package that declares the Go type,
	// which has the version, and the type's name; for untyped objects
	// [kubeapi.KindIDOf]. It is empty if the kind is not known.
	ID   string
	Form Form
}

// IsKnown reports whether it is known which kind it is.
func (k Kind) IsKnown() bool { return k.ID != "" }

// Name is the bare name of the kind, such as "Deployment"; "?" if it is not known.
func (k Kind) Name() string {
	if !k.IsKnown() {
		return "?"
	}
	return path.Ext(k.ID)[1:]
}

// Framework is by what a controller is put together.
type Framework string

// The frameworks.
const (
	// Builder is controller-runtime's builder.
	Builder Framework = "builder"
	// Direct is controller-runtime's controller.New with calls of Watch.
	Direct Framework = "controller"
	// ClientGo is client-go's informers with a queue.
	ClientGo Framework = "client-go"
	// Knative is knative's generated NewImpl, or its controller.NewContext.
	Knative Framework = "knative"
)

// Controller is what decides which events of which objects run a reconciler, and
// what that does.
type Controller struct {
	Framework Framework
	// Package is where it is put together.
	Package string
	// Queue is the field or variable that holds its queue, for client-go.
	Queue string
	// Name is the name that it is given; empty if it has none of its own (then it
	// is made of the kind), or if NameUnknown.
	Name        string
	NameUnknown bool
	// Reconciler is the type that reconciles: the path of its package and its
	// name; empty if it is a function, or not known.
	Reconciler string
	// Reconcile is the full name of the function or method that is run for each
	// request, as types.Func has it; empty if it is not known.
	Reconcile string
	// For is the kind that requests name, as far as the set-up says it. The watch
	// is in Watches, too.
	For     Kind
	Watches []Watch
	// Filter is what all watches but raw sources have to pass besides their own
	// predicates (WithEventFilter).
	Filter Filter
	// Workers is the number of goroutines that reconcile.
	Workers Number
	// RateLimiter is set if it has a rate limiter of its own.
	RateLimiter bool
	// LeaderElection tells whether it waits for leadership; Unknown is the
	// default, which is to wait if the manager elects a leader.
	LeaderElection kinds.Answer
	// Open tells that code which is not seen may add watches or options.
	Open bool
	// Does is what Reconcile does to API objects, itself and in functions that
	// it calls.
	Does Effects
	// At is where it is made.
	At Place
}

// Role is what a watch is for.
type Role string

// The roles.
const (
	For     Role = "for"     // the kind that is reconciled
	Owns    Role = "owns"    // objects that it owns
	Watches Role = "watches" // any other kind
	Raw     Role = "raw"     // a source that no filter of the controller concerns: a channel, a function
)

// HandlerClass is what the requests name that come of an event.
type HandlerClass string

// The classes.
const (
	Self           HandlerClass = "self"    // the object of the event
	Owner          HandlerClass = "owner"   // its owner
	Mapped         HandlerClass = "mapped"  // what a function makes of it
	Custom         HandlerClass = "custom"  // a handler of the user's own decides
	UnknownHandler HandlerClass = "unknown" // not known
)

// Handler is what makes requests of events.
type Handler struct {
	Class HandlerClass
	// Owner is the kind of the owners that are asked for. OnlyController tells that
	// other owners than the object's controller do not count.
	Owner          Kind
	OnlyController bool
	// Func is the full name of the function that maps; empty if it is a literal or
	// not known. Its place is in At.
	Func string
	At   Place
	// Idle tells that it enqueues nothing: the watch serves to start an informer.
	Idle bool
}

// Watch is one source of events.
type Watch struct {
	Role    Role
	Kind    Kind
	Handler Handler
	// Filter is what the watch's own predicates let through, all of them together.
	Filter Filter
	// Conditional tells that set-up code may leave it out.
	Conditional bool
	At          Place
}

// Number is a number of workers.
type Number struct {
	// Value is the number; 0 if it is not known.
	Value int
	// Default tells that nothing was given: one worker for controller-runtime.
	Default bool
	// From says where a number comes from that is not known: "flag", "field",
	// "parameter", "variable"; empty if not even that is known.
	From string
	// Chosen tells that a number is given which is not known, and may be above one: a
	// setting, unless that has one worker by default, or what some caller hands over.
	Chosen bool
	// Handed are the parameters that it is handed over by, as of kubeapi.ParamID:
	// other packages may say what it is.
	Handed []string
}

// Effects is what code does to API objects. One access stands for all that are
// alike.
type Effects struct {
	Accesses []Access
	// Open tells that some calls could not be followed.
	Open bool
	// Full tells that there were too many accesses to list.
	Full bool
	// Requeues tells that some result asks to be called again, at once or later.
	Requeues bool
}

// Act is what is done to objects of a kind.
type Act string

// The acts.
const (
	Get             Act = "get"
	List            Act = "list"
	ReadPart        Act = "read"   // a part of an object in memory
	ChangePart      Act = "change" // metadata of an object in memory
	Create          Act = "create"
	Update          Act = "update"
	Patch           Act = "patch"
	Apply           Act = "apply"
	CreateOrUpdate  Act = "createOrUpdate"
	Delete          Act = "delete"
	AddFinalizer    Act = "addFinalizer"
	RemoveFinalizer Act = "removeFinalizer"
	SetController   Act = "setController" // it becomes the controller of Kind
	SetOwner        Act = "setOwner"      // it becomes an owner of Kind, but not its controller
)

// Source is what a read is answered from.
type Source string

// The sources.
const (
	FromAPI    Source = "api"    // the API server
	FromCache  Source = "cache"  // an informer's cache
	FromClient Source = "client" // a client of controller-runtime: the cache, if it is the manager's
)

// Access is one thing that is done to objects of a kind.
type Access struct {
	Act  Act
	Kind Kind
	// Endpoint is where a write goes.
	Endpoint kubeapi.Endpoint
	// Source is what a Get or List is answered from.
	Source Source
	// Part is what a ReadPart reads, and a ChangePart changes.
	Part kubeapi.Aspect
	// Decides tells that what a ReadPart reads is tested.
	Decides bool
	// Owner is the kind that SetController and SetOwner make an owner.
	Owner Kind
	// Name is the finalizer, or the key of the label or annotation, if it is a
	// constant.
	Name string
	// Param is set, from 1 on, if the kind is that of the function's parameter (the
	// receiver counted), so that each caller knows it.
	Param int
	At    Place
}
