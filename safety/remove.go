package safety

import "fmt"

// Remove deletes a file whose whole content is before: when the disk holds
// something else by now, nothing is removed and the error is ErrChanged.
func (w *Workspace) Remove(p Path, before []byte) error {
	l, err := w.open(p)
	if err != nil {
		return fmt.Errorf("remove %s: %w", p.Named, err)
	}
	defer l.close()
	if before == nil {
		before = []byte{} // a file is to be removed, so there must be one
	}
	if err := l.unchanged(before); err != nil {
		return fmt.Errorf("remove %s: %w", p.Named, err)
	}
	if err := l.root.Remove(l.rel); err != nil {
		return fmt.Errorf("remove %s: %w", p.Named, err)
	}
	return nil
}
