package agent

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mm/agent/session"
	"mm/fileedit"
)

// clear empties the conversation. The old one is kept under a new id, unless
// it was empty.
func (c *Core) clear() {
	s := c.opts.Session
	e := Cleared{Session: s.ID, Forgotten: len(s.Items)}
	if len(s.Items) > 0 && c.opts.Store != nil {
		kept, err := c.opts.Store.Fork(s)
		if err != nil {
			c.emit(Fault{Text: "the conversation could not be kept, so it was not cleared: " + err.Error()})
			return
		}
		e.Kept = kept
	}
	s.Items, s.Turns, s.Title = nil, nil, ""
	s.Redo, s.Shared, c.net = nil, "", nil
	c.loop.reset()
	c.gauge.forget()
	c.useless, c.fixedSaid = 0, false
	c.cold = true
	if c.opts.Cleared != nil {
		c.opts.Cleared()
	}
	c.save()
	c.emit(e)
	c.emit(c.gauge.event())
}

// runShell runs the user's own command, as a turn that no model takes part
// in. Its output goes to the model with the next message.
func (c *Core) runShell(ctx context.Context, command string) {
	if c.opts.Shell == nil {
		c.emit(Notice{Level: Warn, Text: "commands are turned off (bashTool: false)"})
		return
	}
	c.start(ctx, func(ctx context.Context) {
		began := time.Now()
		end := ShellEnded{Status: CallFailed, Summary: "failed"}
		defer func() { // also when a part of the program panics
			end.Elapsed = time.Since(began)
			c.emit(end)
		}()
		c.emit(ShellStarted{Command: command})
		res := c.opts.Shell(ctx, command, func(text string) { c.emit(ShellOutput{Text: text}) })
		end = ShellEnded{Status: statusOf(ctx, res), Output: res.Text, Truncated: res.Truncated, ExitCode: res.ExitCode}
		end.Summary = summary(CallEnded{Status: end.Status, ExitCode: end.ExitCode})
		c.share("[the user ran: %s]\n%s", command, res.Text)
		c.save()
	})
}

// share has the model told with the next message what the user did.
func (c *Core) share(format string, args ...any) {
	s := c.opts.Session
	s.Shared = joinLines(s.Shared, fmt.Sprintf(format, args...))
}

// rename gives the conversation another title.
func (c *Core) rename(text string) {
	c.opts.Session.Title = title(text)
	c.save()
	c.emit(TitleChanged{Title: c.opts.Session.Title})
	c.emit(Notice{Level: Info, Text: fmt.Sprintf("this conversation is called %q now", c.opts.Session.Title)})
}

// undo takes back the file changes of the last turn that has any, newest
// first, and says which files it could not take back. Where it can take back
// none, it goes on with the turn before.
func (c *Core) undo() {
	s, refused := c.opts.Session, false
	for i := range slices.Backward(s.Turns) {
		t := &s.Turns[i]
		switch {
		case t.Dropped:
			c.emit(Notice{Level: Info, Text: fmt.Sprintf("nothing more to undo: the changes of turn %d were too large to be kept", t.Number)})
			return
		case len(t.Changes) == 0 || t.Undone:
			continue
		case c.rewrite(t, true):
			s.Redo = append(s.Redo, t.Number)
			c.save()
			c.emit(c.filesChanged())
			return
		}
		refused = true
	}
	if !refused {
		c.emit(Notice{Level: Info, Text: "nothing to undo (what bash changed cannot be undone)"})
	}
}

// redo redoes the changes that were undone last, or those undone before where
// none of them can be redone.
func (c *Core) redo() {
	s := c.opts.Session
	if len(s.Redo) == 0 {
		c.emit(Notice{Level: Info, Text: "nothing to redo"})
		return
	}
	for i, number := range slices.Backward(s.Redo) {
		at := slices.IndexFunc(s.Turns, func(t session.Turn) bool { return t.Number == number })
		if at < 0 || !c.rewrite(&s.Turns[at], false) {
			continue
		}
		s.Redo = slices.Delete(s.Redo, i, i+1)
		c.save()
		c.emit(c.filesChanged())
		return
	}
}

// netDiff is the change of a file with its diff, which may take a while.
type netDiff struct {
	session.Change
	diff fileedit.FileDiff
}

// is reports whether the diff is of this change.
func (d netDiff) is(ch session.Change) bool {
	same := func(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
	return d.Path == ch.Path && same(d.Before, ch.Before) && same(d.After, ch.After)
}

// filesChanged is what netChanges tells, in figures.
func (c *Core) filesChanged() FilesChanged {
	var e FilesChanged
	for _, f := range c.netChanges() {
		e.Files = append(e.Files, FileChange{Path: f.Path, Added: f.Added, Removed: f.Removed, Created: f.Created})
	}
	return e
}

// netChanges compares each file that the session changed with what it was at
// the beginning.
func (c *Core) netChanges() []fileedit.FileDiff {
	var order []string
	net := map[string]session.Change{}
	for _, t := range c.opts.Session.Turns {
		for _, ch := range t.Changes {
			if ch.Undone {
				continue
			}
			if known, ok := net[ch.Path]; ok {
				ch.Before = known.Before
			} else {
				order = append(order, ch.Path)
			}
			net[ch.Path] = ch
		}
	}
	known := c.net
	c.net = make(map[string]netDiff, len(order))
	var files []fileedit.FileDiff
	for _, path := range order {
		d := known[path]
		if !d.is(net[path]) {
			d = netDiff{net[path], fileedit.Diff(c.short(path), net[path].Before, net[path].After)}
		}
		c.net[path] = d
		if d.diff.Created || d.diff.Deleted || d.diff.Added+d.diff.Removed > 0 {
			files = append(files, d.diff)
		}
	}
	return files
}

// short is a path as the user knows it: from the working directory on.
func (c *Core) short(path string) string {
	if rel, err := filepath.Rel(c.opts.Session.Cwd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// rewrite undoes the changes of a turn, the newest first, or redoes them, and
// tells. A file that somebody else has changed since stays as it is. It returns
// false when no file could be changed.
func (c *Core) rewrite(t *session.Turn, undo bool) bool {
	verb, changes := "redone", make([]*session.Change, len(t.Changes))
	for i := range t.Changes {
		changes[i] = &t.Changes[i]
	}
	if undo {
		verb = "undone"
		slices.Reverse(changes)
	}
	var done, failed []string
	for _, ch := range changes {
		if ch.Undone == undo {
			continue
		}
		from, to := ch.Before, ch.After
		if undo {
			from, to = to, from
		}
		name := c.short(ch.Path)
		if err := c.opts.Restore(ch.Path, to, from); err != nil {
			failed = append(failed, name+" ("+err.Error()+")")
			continue
		}
		ch.Undone, t.Undone = undo, undo
		if !slices.Contains(done, name) {
			done = append(done, name)
		}
	}
	if len(done) > 0 {
		c.emit(Notice{Level: Info, Text: verb + ": " + strings.Join(done, ", ")})
		c.share("[the user has %s your change of %s]", verb, strings.Join(done, ", "))
	}
	if len(failed) > 0 {
		c.emit(Notice{Level: Warn, Text: "not " + verb + ": " + strings.Join(failed, ", ")})
	}
	return len(done) > 0
}

// save keeps the session on disk. A failure is said once until a save works
// again; the conversation goes on.
func (c *Core) save() {
	if c.opts.Store == nil {
		return
	}
	err := c.opts.Store.Save(c.opts.Session)
	if err != nil && !c.unsaved {
		c.emit(Notice{Level: Warn, Text: "the session could not be saved: " + err.Error() + "; the conversation goes on (sessions.enabled: false turns saving off)"})
	}
	c.unsaved = err != nil
}

// logf writes to the log for developers.
func (c *Core) logf(format string, args ...any) {
	if c.opts.Log != nil {
		fmt.Fprintf(c.opts.Log, format+"\n", args...)
	}
}
