package tests

var one = 1 //nolint:statusupdate // nobody knows
var two = 1 //nolint:statusupdat // want `no analyzer, group or category is named statusupdat`
