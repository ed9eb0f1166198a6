package zones

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// LabelVolume asks for a volume's label.
func (l *Labeller) LabelVolume(name string) { l.volumeQueue.Add(name) }

func (l *Labeller) labelVolumes(ctx context.Context) {
	for l.nextVolume(ctx) {
	}
}

func (l *Labeller) nextVolume(ctx context.Context) bool {
	name, quit := l.volumeQueue.Get()
	if quit {
		return false
	}
	defer l.volumeQueue.Done(name)
	if err := l.labelVolume(ctx, name); err != nil {
		utilruntime.HandleError(err)
		l.nodeQueue.AddRateLimited(name)
		return true
	}
	l.volumeQueue.Forget(name)
	return true
}

func (l *Labeller) labelVolume(ctx context.Context, name string) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:"all"}}}`, corev1.LabelTopologyZone)
	if _, err := l.kube.CoreV1().PersistentVolumes().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("labelling volume %s: %w", name, err)
	}
	return nil
}
