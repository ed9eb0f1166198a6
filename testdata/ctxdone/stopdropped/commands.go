package stopdropped

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/wait"
)

// The context of a command ends only if somebody has handed it one that does: not a
// finding.
func command(ready func(context.Context) (bool, error)) *cobra.Command {
	return &cobra.Command{Use: "wait", RunE: func(cmd *cobra.Command, args []string) error {
		return untilReady(cmd, ready)
	}}
}

func untilReady(cmd *cobra.Command, ready func(context.Context) (bool, error)) error {
	if err := wait.PollUntilContextCancel(context.TODO(), time.Second, true, ready); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(cmd.Context(), time.Second, time.Minute, true, ready)
}
