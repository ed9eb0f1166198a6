package cachewrite

import (
	"github.com/opvet/opvet/analyzers/cachewrite/internal/stores"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// excuses say when a write to an informer's store is left alone.
var excuses = rule.Excuses[*stores.Write]{{
	Reason: rule.Reason{
		Name: "of-project",
		Doc:  "an object of a kind of the project's own is taken out, and no client is called: the informer may be fed by something else than the API server",
	},
	Strict: true,
	Holds: func(w *stores.Write) bool {
		return w.Change == kubeapi.StoreDeletes && isOfProject(w.Instr) && !callsClient(w.Instr.Parent())
	},
}}
