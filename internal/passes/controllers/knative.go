package controllers

func (f *finder) knative()   {}
func (f *finder) informers() {}
