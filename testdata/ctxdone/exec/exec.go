// Package exec runs processes.
package exec

import (
	"bytes"
	"context"
	"os/exec"
	"syscall"
	"time"

	utilexec "k8s.io/utils/exec"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// dump waits for a process that its context does not kill.
func dump(ctx context.Context, database string) ([]byte, error) {
	return exec.Command("pg_dump", database).CombinedOutput() // want `hygiene: nothing kills this process: its caller waits for it when ctx has ended; use CommandContext with ctx.*ctxdone/exec`
}

// restore prepares the process first.
func restore(ctx context.Context, database string) error {
	var stderr bytes.Buffer
	cmd := exec.Command("pg_restore", "--dbname", database) // want `hygiene: nothing kills this process: its caller waits for it when ctx has ended`
	cmd.Stderr = &stderr
	cmd.Env = append(cmd.Env, "LANG=C")
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Wait()
}

// runner uses the interface of k8s.io/utils.
type runner struct{ exec utilexec.Interface }

func (r *runner) save(ctx context.Context) ([]byte, error) {
	return r.exec.Command("iptables-save").CombinedOutput() // want `nothing kills this process`
}

// Reconciler runs a process in its reconcile.
type Reconciler struct{ client.Client }

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	err := exec.Command("provision", req.Name).Run() // want `hygiene: nothing kills this process: its caller waits for it when ctx has ended; use CommandContext with ctx`
	return ctrl.Result{}, err
}

// killed by the context: not a finding.
func killed(ctx context.Context) error {
	return exec.CommandContext(ctx, "pg_dump").Run()
}

// timed kills the process itself: not a finding.
func timed(ctx context.Context) error {
	cmd := exec.Command("pg_dump")
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		return cmd.Process.Kill()
	case <-ctx.Done():
		return cmd.Process.Signal(syscall.SIGTERM)
	}
}

// interrupted has a timer that ends the process: not a finding.
func interrupted(ctx context.Context) error {
	cmd := exec.Command("pg_dump")
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Signal(syscall.SIGINT) })
	defer timer.Stop()
	return cmd.Run()
}

// detaches starts something that stays: not a finding.
func detaches(ctx context.Context) error {
	return exec.Command("postgres").Start()
}

// handsOn lets another function run it: not a finding.
func handsOn(ctx context.Context, run func(*exec.Cmd) error) error {
	return run(exec.Command("pg_ctl", "promote"))
}

// supervises keeps the process: not a finding.
type supervisor struct{ cmd *exec.Cmd }

func (s *supervisor) supervise(ctx context.Context) error {
	s.cmd = exec.Command("bfdd")
	return s.cmd.Run()
}

// withoutContext has none: not a finding.
func withoutContext() error { return exec.Command("logrotate").Run() }

// maybe has none in one of its branches: not a finding.
func (r *runner) maybe(ctx context.Context) ([]byte, error) {
	if ctx == nil {
		return r.exec.Command("iptables-save").CombinedOutput()
	}
	return r.exec.CommandContext(ctx, "iptables-save").CombinedOutput()
}

// atEnd runs after the context has ended: not a finding.
func atEnd(ctx context.Context) error {
	<-ctx.Done()
	return exec.Command("ipsec", "stop").Run()
}

// cleansUp runs when the function returns: not a finding.
func cleansUp(ctx context.Context, work func(context.Context)) {
	cmd := exec.Command("umount", "/mnt")
	defer cmd.Run()
	work(ctx)
}
