package controllers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// notConstant is what is known of a number that is no constant.
func notConstant(g *calls.Graph, v ssa.Value) Number {
	n := Number{From: fromOf(v)}
	of := values.Relation{Calls: g, Steps: values.Local | values.Given, More: func(v ssa.Value) []ssa.Value {
		if holder := calls.Loaded(v); holder != nil {
			return g.Stored(holder)
		}
		return bounds(v)
	}}
	of.Any(v, func(v ssa.Value) bool {
		if p, ok := v.(*ssa.Parameter); ok {
			if id := paramID(p); id != "" {
				n.Handed = append(n.Handed, id)
			}
		} else if value, ok := blocks.Number(v); ok {
			n.Chosen = n.Chosen || value > 1
		} else if value, known := defaultOf(g, v); known {
			n.Chosen = n.Chosen || value > 1
		} else if from, _ := of.Sources(v); len(from) == 0 {
			n.Chosen = true
		}
		return false
	})
	slices.Sort(n.Handed)
	return n
}

// bounds returns what the lower or higher one of several numbers may be.
func bounds(v ssa.Value) []ssa.Value {
	if call, ok := v.(*ssa.Call); ok && (calls.IsBuiltin(call, "max") || calls.IsBuiltin(call, "min")) {
		return call.Call.Args
	}
	return nil
}

// paramID names a declared function's parameter for the whole program; empty for another one.
func paramID(p *ssa.Parameter) string {
	fn, ok := p.Parent().Object().(*types.Func)
	if !ok {
		return ""
	}
	at := slices.Index(calls.Params(p.Parent()), p)
	if at < 0 {
		return ""
	}
	return kubeapi.ParamID(fn, at)
}

// defaultOf returns what a flag is unless somebody sets it, where the package says so.
func defaultOf(g *calls.Graph, v ssa.Value) (value int64, known bool) {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return 0, false
	}
	if made, ok := calls.Behind(load.X).(*ssa.Call); ok { // *flag.Int(…)
		flag, ok := kubeapi.NumberFlagOf(made.Common())
		return flag.Default, ok && flag.Variable == nil
	}
	if of := calls.Loaded(load.X); of != nil { // a variable has what flag.Int returns
		return defaultStored(g, of)
	}
	of := calls.HolderOf(load.X)
	for _, fn := range g.Funcs {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			flag, ok := kubeapi.NumberFlagOf(call.Common())
			if ok && flag.Variable != nil && (of != nil && calls.HolderOf(flag.Variable) == of || flag.Variable == load.X) {
				value, known = max(value, flag.Default), true
			}
		}
	}
	return value, known
}

func defaultStored(g *calls.Graph, of types.Object) (value int64, known bool) {
	for _, stored := range g.Stored(of) {
		call, ok := stored.(*ssa.Call)
		if !ok {
			return 0, false
		}
		flag, ok := kubeapi.NumberFlagOf(call.Common())
		if !ok || flag.Variable != nil {
			return 0, false
		}
		value, known = max(value, flag.Default), true
	}
	return value, known
}
