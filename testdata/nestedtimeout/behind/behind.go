// Package behind uses contexts that have ended through interfaces, whose implementations are in
// a package that it imports.
package behind

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/nestedtimeout/behind/store"
)

// Keeper keeps pods.
type Keeper interface {
	Prune(ctx context.Context, pod *corev1.Pod) error
	Save(ctx context.Context, pod *corev1.Pod) error
	Flush(ctx context.Context, pod *corev1.Pod) error
}

// Elsewhere is implemented by who imports this package.
type Elsewhere interface {
	Prune(ctx context.Context, pod *corev1.Pod, force bool) error
}

func keeper(c client.Client, status bool) Keeper {
	if status {
		return &store.Status{Client: c}
	}
	return &store.Remote{Client: c}
}

func afterWait(ctx context.Context, k Keeper, pods []*corev1.Pod) error {
	group, groupCtx := errgroup.WithContext(ctx)
	for _, pod := range pods {
		group.Go(func() error { return k.Save(groupCtx, pod) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return k.Prune(groupCtx, pods[0]) // want `^loss: (Delete|Update) in Prune \(store/store\.go:\d+\) fails at once: groupCtx has ended \(by the group's Wait on line \d+\)`
}

// derived has a timeout of its own, which does not help.
func derived(ctx context.Context, k Keeper, pods []*corev1.Pod) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for _, pod := range pods {
		group.Go(func() error { return k.Prune(groupCtx, pod) })
	}
	err := group.Wait()
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(groupCtx, time.Minute) // want `the timeout of 1m is over before it begins: groupCtx has ended \(by the group's Wait on line \d+\)`
	defer cancel()
	return k.Prune(short, pods[0])
}

func afterCancel(ctx context.Context, k Keeper, pod *corev1.Pod) error {
	short, cancel := context.WithTimeout(ctx, time.Minute)
	err := k.Save(short, pod)
	cancel()
	if err != nil {
		return err
	}
	return k.Prune(short, pod) // want `in Prune \(store/store\.go:\d+\) fails at once: short has ended \(cancelled on line \d+\)`
}

// trapOfOne has an implementation that does without the context.
func trapOfOne(ctx context.Context, k Keeper, pod *corev1.Pod) error {
	short, cancel := context.WithTimeout(ctx, time.Minute)
	err := k.Prune(short, pod)
	cancel()
	if err != nil {
		return err
	}
	return k.Save(short, pod)
}

// trapOfAsked has one that asks first.
func trapOfAsked(ctx context.Context, k Keeper, pod *corev1.Pod) error {
	short, cancel := context.WithTimeout(ctx, time.Minute)
	err := k.Prune(short, pod)
	cancel()
	if err != nil {
		return err
	}
	return k.Flush(short, pod)
}

// trapOfElsewhere has implementations that are out of sight.
func trapOfElsewhere(ctx context.Context, e Elsewhere, pod *corev1.Pod) error {
	short, cancel := context.WithTimeout(ctx, time.Minute)
	err := e.Prune(short, pod, false)
	cancel()
	if err != nil {
		return err
	}
	return e.Prune(short, pod, true)
}

// trapOfOuter goes on with the caller's context.
func trapOfOuter(ctx context.Context, k Keeper, pods []*corev1.Pod) error {
	outer := ctx
	group, ctx := errgroup.WithContext(ctx)
	for _, pod := range pods {
		group.Go(func() error { return k.Prune(ctx, pod) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return k.Prune(outer, pods[0])
}

// trapOfRounds makes a group for each round.
func trapOfRounds(ctx context.Context, k Keeper, rounds [][]*corev1.Pod) error {
	for _, pods := range rounds {
		group, groupCtx := errgroup.WithContext(ctx)
		for _, pod := range pods {
			group.Go(func() error { return k.Prune(groupCtx, pod) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		if err := k.Prune(context.WithoutCancel(groupCtx), pods[0]); err != nil {
			return err
		}
	}
	return nil
}

// trapOfAsking asks whether a member of the group has failed.
func trapOfAsking(ctx context.Context, k Keeper, pods []*corev1.Pod) error {
	group, groupCtx := errgroup.WithContext(ctx)
	for _, pod := range pods {
		group.Go(func() error { return k.Prune(groupCtx, pod) })
	}
	_ = group.Wait()
	if groupCtx.Err() == nil {
		return k.Prune(groupCtx, pods[0])
	}
	return context.Cause(groupCtx)
}

// Pinger is implemented by a method that is promoted from another module, too.
type Pinger interface {
	PingContext(ctx context.Context) error
}

func promoted(ctx context.Context, k Keeper, p Pinger, pod *corev1.Pod) error {
	short, cancel := context.WithTimeout(ctx, time.Minute)
	err := k.Prune(short, pod)
	cancel()
	if err != nil {
		return err
	}
	return p.PingContext(short) // want `^loss: PingContext (in PingContext \(store/store\.go:\d+\) )?fails at once: short has ended \(cancelled on line \d+\)`
}
