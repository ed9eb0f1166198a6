// Package cachemutation finds objects of an informer's cache that are changed.
//
// A lister, an informer's store and an informer's event handlers hand out the
// very objects that the cache holds, not copies. Whoever changes one changes it
// for all who read from the cache, in this controller and in others, and while
// they may be reading: the process dies of "concurrent map read and map write",
// or a controller acts on a state that the API server has never seen. If the
// write to the API server fails afterwards, the cache keeps the change until the
// next event, and the next reconcile finds nothing left to do.
//
// Copy the object before it is changed:
//
//	cached, err := c.nodeLister.Get(name)
//	if err != nil {
//		return err
//	}
//	node := cached.DeepCopy()
//	node.Spec.Unschedulable = true
//
// Objects are followed through variables, structs, slices and maps, through
// wrappers and helpers in any package of the module, function literals and
// callbacks, and along the paths of a function: a copy on one branch and a
// change on that branch only is right, and so is a copy that is made when it is
// first needed.
//
// One finding stands for one missing copy: at the first change that a function
// makes to an object, with the others among the related places. A copy is often
// best made where the object comes from, so a change that a helper makes is
// reported where it is handed the object. If several places of the package hand a
// function objects of the cache, and none hands it an object of its own, the
// function is the cause, and the one finding is in it.
//
// The harm depends on what becomes of the change. If the object is sent to the API server
// afterwards, here or by a helper, and the request fails, the retry reads the changed object
// from the cache, finds nothing to do, and the change is never stored: a loss, and the one that
// costs real operators most (four in five of the judged findings are worth mending). Where the
// function asks nothing of the object before it sends it, by a client itself, the retry sends it
// once more, and it is hygiene. Writing to a map that is not sent is a crash: the process ends if anybody reads the map at that moment.
// Everything else is a loss: others act on what the API server never said, or on half of a change.
// A default that is filled in where nothing was set is hygiene, as long as it is not
// sent. Setting the kind or version, sorting what was found not to be sorted, changing
// the old object of an update, what a handler sets in each object that it is handed
// and does not send, and what the API server has answered to a write, which the watch is
// about to bring, are hygiene. So is what only processes that end by themselves do.
//
// Right, and left alone: objects that a clientset or controller-runtime's client
// has read (unless it is told not to copy); objects that the program has made, also
// if the same variable or slice takes a cached one later; the slice that List returns, whose
// elements may be sorted or replaced; functions that change objects before they
// enter the cache (WithTransform, SetTransform); stores that the program has made
// for itself; fields that are not exported, in which types keep what they have
// computed.
//
// A lister's interface that is generated may be implemented by hand, with
// copies, in a package that the changed code does not import. That is not
// seen. Interfaces of that shape which are not generated, and stores of which
// the package does not know whose they are, count with the strict flag only.
//
// # lister-object
//
// An object that a lister, or the store or indexer of an informer, returned is
// changed: its fields, the entries of its maps and slices, through its setters,
// by controllerutil's or meta's helpers, or by unmarshalling into it:
//
//	pod, err := c.podLister.Pods(namespace).Get(name)
//	if err != nil {
//		return err
//	}
//	if pod.Labels == nil {
//		pod.Labels = map[string]string{}
//	}
//	pod.Labels["checked"] = "true"
//
// The same goes for what a wrapper passes on, in whatever package. The fix makes
// the copy after the check of the error, where the object is sent to the API
// server in the same function.
//
// # handler-argument
//
// A handler of an informer (its filter, too), a predicate or a map function of
// controller-runtime changes an object that it is handed. All handlers are handed
// the same object, which is that of the cache:
//
//	AddFunc: func(obj any) {
//		pod := obj.(*corev1.Pod)
//		pod.ManagedFields = nil // use a transform function
//	},
//
// An object that has been deleted is in the cache no longer: what DeleteFunc does with it is not looked at. Nor is
// the old object of an update; changing it disturbs nobody but the other handlers of that update, and is hygiene. What
// counts is the new one.
//
// # slice-in-place
//
// A slice of the object is sorted, reversed, filtered, compacted or cut in place, while
// others may be reading it: they see elements twice, or not at all. Functions that only look like questions do it, too:
//
//	taints := node.Spec.Taints
//	sort.Slice(taints, func(i, j int) bool { return taints[i].Key < taints[j].Key })
//
//	kept := node.Spec.Taints[:0] // the same array
//
// Sort or filter a copy: slices.Clone(node.Spec.Taints). With the strict flag,
// an append to such a slice is reported, too, even if its result is stored
// elsewhere: it writes into the shared array if that has room.
//
// # shallow-copy
//
// A struct is copied by value, by an assignment, as an argument or in a range
// loop. Its maps, slices and pointers still are those of the cached object:
//
//	changed := *pod
//	changed.Spec.NodeName = ""    // right
//	changed.Labels["moved"] = "1" // the cache's map
//
// # through-helper
//
// A function, here or in another package, changes the object that it is handed,
// itself or through further ones. The message names the place:
//
//	node, err := c.nodeLister.Get(name)
//	if err != nil {
//		return err
//	}
//	taint(node) // appends to node.Spec.Taints
//
// Hand it a copy, or have it make one and return it.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:cachemutation // reason. Please report it,
// too.
package cachemutation
