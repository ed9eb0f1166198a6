// Package picture draws an operator: which controllers its programs run, what wakes
// each of them and what each does to which kinds, as Mermaid, DOT, JSON or a page of
// HTML.
//
// It knows nothing of Go code: [Map] is made of what the passes say, and everything
// that is drawn is in it. What the passes cannot tell is drawn as unknown.
package picture

// Version is that of [Map]. It is raised when a field changes its meaning or goes; new
// fields do not raise it.
const Version = 1

// Map is an operator. Its JSON form is what opvet map -format json prints, and the doc
// tags become docs/map.schema.json.
type Map struct {
	Version  int       `json:"version" doc:"The version of this form. It is raised when a field changes its meaning or goes; new fields do not raise it."`
	Module   string    `json:"module,omitempty" doc:"The path of the Go module."`
	Programs []Program `json:"programs" doc:"The programs with controllers, webhooks or managers, by path. If no package is a program, there is one without a path, which has what the packages make."`
	Kinds    []Kind    `json:"kinds" doc:"The API kinds that the programs use, by ID."`
}

// Program is one binary.
type Program struct {
	Package     string       `json:"package" doc:"The path of the main package; empty if no package is a program."`
	Managers    []Manager    `json:"managers,omitempty" doc:"What runs controllers: controller-runtime's managers, the elections of client-go, and knative's sharedmain."`
	Controllers []Controller `json:"controllers,omitempty" doc:"The controllers, by package and place."`
	Webhooks    []Webhook    `json:"webhooks,omitempty" doc:"The admission and conversion webhooks."`
	Findings    []Finding    `json:"findings,omitempty" doc:"Findings that concern no controller and no webhook; only with -findings."`
}

// Manager runs controllers.
type Manager struct {
	LeaderElection string `json:"leaderElection" enum:"yes,no,configured,unknown" doc:"Whether it elects a leader: configured if a flag or other configuration decides."`
	At             *Place `json:"at,omitempty" doc:"Where it is made."`
}

// Controller reconciles.
type Controller struct {
	ID             string    `json:"id" doc:"Names the controller within this document."`
	Name           string    `json:"name" doc:"What it is called in a picture: the name that it is given, or else its kind or its reconciler's type."`
	NameUnknown    bool      `json:"nameUnknown,omitempty" doc:"The program names it, but the name is made at run time."`
	Package        string    `json:"package" doc:"The package that puts it together."`
	Framework      string    `json:"framework" enum:"builder,controller,client-go,knative" doc:"By what it is put together: controller-runtime's builder or its controller.New, informers with a workqueue of client-go, or the NewImpl of knative."`
	Reconciler     string    `json:"reconciler,omitempty" doc:"The type that reconciles; absent if it is a function, or not known."`
	Reconcile      string    `json:"reconcile,omitempty" doc:"The function that is run for each request; absent if it is not known."`
	For            string    `json:"for,omitempty" doc:"The ID of the kind that requests name, as far as the set-up says it."`
	Watches        []Watch   `json:"watches,omitempty" doc:"What wakes it, For and Owns among it."`
	Filter         *Filter   `json:"filter,omitempty" doc:"What all watches but raw ones must pass besides their own filter (WithEventFilter)."`
	Workers        Workers   `json:"workers" doc:"How many requests are worked on at the same time."`
	RateLimiter    bool      `json:"rateLimiter,omitempty" doc:"It has a rate limiter of its own."`
	LeaderElection string    `json:"leaderElection" enum:"yes,no,default" doc:"Whether it waits for leadership; default: if its manager elects a leader."`
	Requeues       bool      `json:"requeues,omitempty" doc:"Some result asks to be called again, at once or later."`
	Uses           []Use     `json:"uses,omitempty" doc:"What it does to objects, itself and in the functions that it calls."`
	OpenSetup      bool      `json:"openSetup,omitempty" doc:"Code that is not seen may add watches or options."`
	OpenUses       bool      `json:"openUses,omitempty" doc:"Some calls could not be followed: it may do more than is listed."`
	At             *Place    `json:"at,omitempty" doc:"Where it is put together."`
	Findings       []Finding `json:"findings,omitempty" doc:"What the analyzers found in it; only with -findings."`
}

// Watch is one source of events.
type Watch struct {
	Role        string  `json:"role" enum:"for,owns,watches,raw" doc:"For the kind that is reconciled, owns for objects that it owns, watches for any other kind, raw for a channel or a function."`
	Kind        string  `json:"kind,omitempty" doc:"The ID of the kind; absent if it is not known."`
	Form        string  `json:"form,omitempty" enum:"typed,unstructured,metadata" doc:"In which form the objects are kept."`
	Handler     string  `json:"handler" enum:"self,owner,mapped,custom,unknown" doc:"What the requests name: the object of the event, its owner, what a function makes of it, or what a handler of the program's own decides."`
	Owner       string  `json:"owner,omitempty" doc:"The ID of the kind of the owners that are asked for, if it is another one than the controller's."`
	EveryOwner  bool    `json:"everyOwner,omitempty" doc:"Owners count that are not the object's controller."`
	Func        string  `json:"func,omitempty" doc:"The function that maps; absent if it is a literal or not known."`
	FuncAt      *Place  `json:"funcAt,omitempty" doc:"Where the handler is."`
	Filter      *Filter `json:"filter,omitempty" doc:"What the watch's own predicates let through, all of them together."`
	Conditional bool    `json:"conditional,omitempty" doc:"Set-up code may leave it out."`
	At          *Place  `json:"at,omitempty" doc:"Where it is asked for."`
}

// Filter is what predicates let through.
type Filter struct {
	Names   []string `json:"names" doc:"The predicates as the code calls them; ? for one that is not known."`
	Create  string   `json:"create" doc:"When a creation counts: always, never, ? if it depends on something that is not understood, or a condition in words."`
	Update  string   `json:"update" doc:"When an update counts, in the same words."`
	Delete  string   `json:"delete" doc:"When a deletion counts, in the same words."`
	Generic string   `json:"generic" doc:"When an event of another kind counts, in the same words."`
	At      []Place  `json:"at,omitempty" doc:"Where the predicates are made or declared."`
}

// Workers is how many run at once.
type Workers struct {
	Number  int    `json:"number,omitempty" doc:"How many; absent if it is not known."`
	Default bool   `json:"default,omitempty" doc:"Nothing was given."`
	From    string `json:"from,omitempty" enum:"flag,field,parameter,variable,call" doc:"Where a number comes from that is not known."`
}

// Use is one thing that a controller does to objects of a kind.
type Use struct {
	Act       string `json:"act" enum:"get,list,create,update,patch,apply,createOrUpdate,delete,addFinalizer,removeFinalizer,setController,setOwner" doc:"What is done. setController and setOwner put an owner reference on the object."`
	Kind      string `json:"kind,omitempty" doc:"The ID of the kind; absent if it is not known."`
	Form      string `json:"form,omitempty" enum:"typed,unstructured,metadata" doc:"In which form the objects are used."`
	Endpoint  string `json:"endpoint,omitempty" enum:"main,status,both,other" doc:"Where a write goes: the object, its status, both, or another subresource such as scale."`
	Source    string `json:"source,omitempty" enum:"api,cache,client" doc:"What a read is answered from: the API server, a cache, or client for a client that may be either."`
	Owner     string `json:"owner,omitempty" doc:"The ID of the kind that becomes the owner; absent if it is not known."`
	Finalizer string `json:"finalizer,omitempty" doc:"The finalizer, if it is a constant."`
	At        *Place `json:"at,omitempty" doc:"One place where it is done; there may be others."`
}

// Webhook answers the API server.
type Webhook struct {
	Kind     string    `json:"kind,omitempty" doc:"The ID of the kind; absent if it is not known, as for a handler of a path."`
	Path     string    `json:"path,omitempty" doc:"The path, if it is set and constant."`
	Does     []string  `json:"does" enum:"default,validate,convert,handle" doc:"What it does; handle if it is a handler of requests of any kind. Empty if it is not known."`
	Package  string    `json:"package" doc:"The package that sets it up."`
	At       *Place    `json:"at,omitempty" doc:"Where it is set up."`
	Findings []Finding `json:"findings,omitempty" doc:"What the analyzers found in it; only with -findings."`
}

// Kind is an API kind.
type Kind struct {
	ID       string `json:"id" doc:"The path of the package that declares the Go type and the type's name; for untyped objects group, version and kind."`
	Name     string `json:"name" doc:"The bare name, such as Deployment."`
	Group    string `json:"group,omitempty" doc:"The API group, if it is known; the core group is absent, too."`
	Version  string `json:"version,omitempty" doc:"The version, if it is known."`
	Resource string `json:"resource,omitempty" doc:"The resource, such as deployments, if it is known."`
	Own      bool   `json:"own,omitempty" doc:"The module declares it."`
}

// Finding is what an analyzer found.
type Finding struct {
	Rule    string `json:"rule" doc:"The analyzer and the category, such as eventfilter/no-generation."`
	Harm    string `json:"harm" doc:"What it does: crash, loss, stuck, leak, load or hygiene."`
	Message string `json:"message" doc:"The finding."`
	URL     string `json:"url,omitempty" doc:"The page about the rule."`
	At      *Place `json:"at,omitempty" doc:"Where."`
}

// Place is a place in the source.
type Place struct {
	File string `json:"file" doc:"The file, named from the top of the git repository, or from the folder that the command ran in if there is none. In another module, it is the package's path and the file's name."`
	Line int    `json:"line" doc:"The line, from 1 on."`
}
