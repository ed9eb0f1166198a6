package cachemutation

import (
	"fmt"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/cacheobjects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// harm is what a write to a cached object leads to.
func harm(v cacheobjects.Violation) rule.Harm {
	switch {
	case v.Origin.Replaced, isSentAlways(v): // it has left the store, or the retry sends it once more
		return rule.Hygiene
	case v.Impact == cacheobjects.WritesMap && !isRetried(v):
		return rule.Crash
	case v.Impact == cacheobjects.SetsType, v.Impact == cacheobjects.SetsDefault && v.Sent.By == "":
		return rule.Hygiene // everybody wants that value
	case v.Origin.Source == kubeapi.HandlerObject:
		return rule.Hygiene // each event brings the same change
	}
	return rule.Loss
}

// isRetried reports whether the object is sent to the API server afterwards by code that is
// run again if that fails, and then finds its own change in the cache. Handlers are not.
func isRetried(v cacheobjects.Violation) bool {
	return v.Sent.By != "" && !v.Sent.Always && v.Origin.Source != kubeapi.HandlerObject
}

// isSentAlways reports whether such code asks nothing of the object before it sends it: each
// attempt sends the same.
func isSentAlways(v cacheobjects.Violation) bool {
	return v.Sent.Always && v.Origin.Source != kubeapi.HandlerObject
}

// message words a finding about one object by the worst of the writes to it.
func (c *checker) message(g group) string {
	v := g.worst()
	return wording.Fit(func(name func(string) string) string {
		switch {
		case v.Origin.Replaced:
			return fmt.Sprintf("other handlers of the update see the change to %s, although it has left the cache; change a DeepCopy", name(v.Origin.What))
		case v.Helper != "":
			return c.throughHelper(v, name)
		}
		return c.direct(v, name, c.target(g, v, name), c.whence(v, name))
	})
}

// direct words a write that the function makes itself.
func (c *checker) direct(v cacheobjects.Violation, name func(string) string, what, whence string) string {
	switch {
	case v.Capacity:
		return fmt.Sprintf("an append to %s may write into the array of the informer cache's object (%s); append to a copy (slices.Clone)", what, whence)
	case category(v) == sliceInPlace && v.How == kubeapi.WriteSort:
		return fmt.Sprintf("readers may miss elements: sorting %s reorders the informer cache's slice (%s); sort a copy (slices.Clone)", what, whence)
	case category(v) == sliceInPlace:
		return fmt.Sprintf("readers may miss elements: overwriting %s changes the informer cache's slice (%s); use a copy (slices.Clone)", what, whence)
	case v.Impact == cacheobjects.SetsType:
		return fmt.Sprintf("%s is set in the informer cache's own object (%s); change a DeepCopy", what, whence)
	case isRetried(v):
		return fmt.Sprintf("if %s fails, the changed %s stays though it was not stored: it is in the informer cache (%s); change a DeepCopy", name(v.Sent.By), what, whence)
	case v.Impact == cacheobjects.WritesMap && v.Origin.Shallow:
		return fmt.Sprintf("crash if the map is read meanwhile: %s is shared with the informer cache by a copy by value (%s); use DeepCopy", what, whence)
	case v.Impact == cacheobjects.WritesMap:
		return fmt.Sprintf("crash if the map is read meanwhile: %s belongs to the informer cache (%s); change a DeepCopy", what, whence)
	case v.Impact == cacheobjects.SetsDefault:
		return fmt.Sprintf("readers get unsaved changes: %s gets a default in the informer cache (%s); change a DeepCopy", what, whence)
	case v.Origin.Shallow:
		return fmt.Sprintf("readers get unsaved changes: %s is shared with the informer cache by a copy by value (%s); use DeepCopy", what, whence)
	}
	return fmt.Sprintf("readers get unsaved changes: %s belongs to the informer cache (%s); change a DeepCopy", what, whence)
}

// throughHelper words a write that a called function makes.
func (c *checker) throughHelper(v cacheobjects.Violation, name func(string) string) string {
	remedy := "hand it a DeepCopy"
	if category(v) == sliceInPlace {
		remedy = "hand it a copy"
	}
	if harm(v) == rule.Loss && isRetried(v) {
		return fmt.Sprintf("if %s fails, the changed %s stays though it was not stored: it is in the informer cache (%s, %s); %s",
			name(v.Sent.By), inner(v, name), name(v.Helper), c.innerPlace(v), remedy)
	}
	return fmt.Sprintf("%s: %s %s %s (%s) of the informer cache's object %s; %s",
		race(v), name(v.Helper), v.Inner.How, inner(v, name), c.innerPlace(v), c.source(v, name), remedy)
}

// shared words a write that a function makes to the objects that several
// places hand it.
func (c *checker) shared(v cacheobjects.Violation, places int) string {
	return wording.Fit(func(name func(string) string) string {
		if harm(v) == rule.Loss && isRetried(v) {
			return fmt.Sprintf("if %s fails, the changed %s stays though it was not stored: %d places hand %s objects of the informer cache; change a DeepCopy",
				name(v.Sent.By), inner(v, name), places, name(v.Inner.Func))
		}
		return fmt.Sprintf("%s: %s %s %s, and %d places hand it objects of the informer cache; change a DeepCopy",
			race(v), name(v.Inner.Func), v.Inner.How, inner(v, name), places)
	})
}

// race is what becomes of those who read the object meanwhile, in this goroutine or in another: who
// that is, no package knows.
func race(v cacheobjects.Violation) string {
	if v.Impact == cacheobjects.WritesMap {
		return "crash if the map is read meanwhile"
	}
	return "readers get unsaved changes"
}

// target is what a write of the group writes to, with the line, if that is not the
// finding's.
func (c *checker) target(g group, v cacheobjects.Violation, name func(string) string) string {
	what := c.Expression(v.Instr)
	if what == "" {
		what = "the object"
	}
	if line := c.line(c.start(v)); line != c.line(c.start(g[0])) {
		return fmt.Sprintf("%s (line %d)", name(what), line)
	}
	return name(what)
}

// inner is what a helper writes to.
func inner(v cacheobjects.Violation, name func(string) string) string {
	if v.Inner.What == "" {
		return "it"
	}
	return name(v.Inner.What)
}

// whence says where the object came from.
func (c *checker) whence(v cacheobjects.Violation, name func(string) string) string {
	o := v.Origin
	if o.Source == kubeapi.HandlerObject {
		return name(o.What)
	}
	text := fmt.Sprintf("%s, line %d", name(o.What), c.line(o.Pos))
	if o.ThroughPlace != "" {
		text += ", from " + wording.File(o.ThroughPlace)
	}
	return text
}

// source is whence in short.
func (c *checker) source(v cacheobjects.Violation, name func(string) string) string {
	if v.Origin.Source == kubeapi.HandlerObject {
		return "(" + name(v.Origin.What) + ")"
	}
	return fmt.Sprintf("from line %d", c.line(v.Origin.Pos))
}

// innerPlace is where a helper writes: a line of this file, or of another.
func (c *checker) innerPlace(v cacheobjects.Violation) string {
	if at := c.pass.Fset.Position(v.InnerPos); v.InnerPos.IsValid() && at.Filename == c.pass.Fset.Position(c.start(v)).Filename {
		return fmt.Sprintf("line %d", at.Line)
	}
	return wording.File(v.Inner.Place)
}
