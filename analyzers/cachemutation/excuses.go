package cachemutation

import (
	"github.com/opvet/opvet/internal/passes/cacheobjects"
	"github.com/opvet/opvet/internal/report/rule"
)

// excuses say when a write to a cached object is left alone.
var excuses = rule.Excuses[cacheobjects.Violation]{
	{
		Reason: rule.Reason{Name: "deleted", Doc: "the object has been deleted: the cache has let go of it"},
		Holds:  func(v cacheobjects.Violation) bool { return v.Origin.Deleted },
	},
	{
		Reason: rule.Reason{Name: "capacity", Doc: "append writes behind the end of a shared slice, which is not seen unless two do so"},
		Strict: true,
		Holds:  func(v cacheobjects.Violation) bool { return v.Capacity },
	},
	{
		Reason: rule.Reason{Name: "doubtful-origin", Doc: "the object may come from somewhere else than a cache"},
		Strict: true,
		Holds:  func(v cacheobjects.Violation) bool { return v.Origin.Doubtful },
	},
}
