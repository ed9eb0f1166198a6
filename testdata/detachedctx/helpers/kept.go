package helpers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// settings are read once, and kept for all.
type settings struct {
	client.Client
	names []string
	limit *v1.Backup
}

func (s *settings) handle(ctx context.Context, backup *v1.Backup) error {
	if len(s.known()) == 0 || s.limited() == nil {
		return nil
	}
	for _, name := range s.fresh() {
		backup.Name = name
	}
	return s.Update(ctx, backup)
}

func (s *settings) known() []string {
	if s.names != nil {
		return s.names
	}
	s.names = s.read()
	return s.names
}

// It cannot say that it has been cancelled.
func (s *settings) read() []string {
	var list v1.BackupList
	_ = s.List(context.Background(), &list)
	return []string{list.Items[0].Name}
}

// It is read again each time.
func (s *settings) fresh() []string { // want `hygiene: List \(kept\.go:51\) .*; give fresh a context, and read its error: handle has ctx \(detachedctx/helper\)`
	s.names = s.readAgain()
	return s.names
}

func (s *settings) readAgain() []string {
	var list v1.BackupList
	_ = s.List(context.Background(), &list)
	return []string{list.Items[0].Name}
}

// It can say that it has failed, and nothing is kept then.
func (s *settings) limited() *v1.Backup { // want `hygiene: Get \(kept\.go:69\) .*; give limited a context: handle has ctx \(detachedctx/helper\)`
	if s.limit == nil {
		limit, err := s.readLimit()
		if err != nil {
			return nil
		}
		s.limit = limit
	}
	return s.limit
}

func (s *settings) readLimit() (*v1.Backup, error) {
	var limit v1.Backup
	err := s.Get(context.Background(), client.ObjectKey{Name: "limit"}, &limit)
	return &limit, err
}
