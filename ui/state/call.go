package state

import (
	"slices"
	"time"

	"mm/agent"
	"mm/fileedit"
	"mm/safety/clean"
)

// applyCall takes what concerns tool calls.
func (s *State) applyCall(e agent.Event, now time.Time) bool {
	switch e := e.(type) {
	case agent.CallStarted:
		c, _ := s.call(e.ID, now)
		c.Tool, c.Kind = clean.Line(e.Tool), e.ToolKind
		s.index.turn.calls++
		s.phase(Composing, now)
		s.Now.Tool, s.Now.Args = c.Tool, 0
	case agent.CallArgs:
		c, _ := s.call(e.ID, now)
		c.Args += len(e.Text)
		s.phase(Composing, now)
		s.Now.Tool, s.Now.Args = c.Tool, c.Args
	case agent.CallPlanned:
		c, _ := s.call(e.ID, now)
		c.Title, c.Preview, c.Status = clean.Line(e.Title), preview(e.Preview), CallWaiting
		if e.Tool != "" {
			c.Tool = clean.Line(e.Tool)
		}
		for _, r := range e.Repairs {
			c.Repairs = append(c.Repairs, clean.Line(r))
		}
	case agent.ApprovalAsked:
		if len(s.Approvals) == 0 {
			s.index.turn.asked = now
		}
		s.ask(e)
		s.phase(Asking, now)
		s.Now.Tool = clean.Line(e.Tool)
	case agent.ApprovalSettled:
		n := len(s.Approvals)
		s.Approvals = slices.DeleteFunc(s.Approvals, func(a Approval) bool { return a.ID == e.ID })
		if n > 0 && len(s.Approvals) == 0 {
			s.index.turn.waited += now.Sub(s.index.turn.asked)
		}
		if len(s.Approvals) == 0 && s.Now.Phase == Asking {
			s.phase(Connecting, now)
		}
	case agent.CallRunning:
		c, _ := s.call(e.ID, now)
		c.Status, c.Started = CallRunning, now
		s.Now = Activity{Phase: Running, Since: now, Tool: c.Tool, Detail: c.Title}
	case agent.CallOutput:
		c, _ := s.call(e.ID, now)
		c.Output.add(e.Text)
		if s.Now.Phase == Running {
			s.Now.Detail = c.Output.Last()
		}
	case agent.CallEnded:
		s.endCall(e, now)
	case agent.ShellStarted:
		s.startOwn(e.Command, now)
	case agent.ShellOutput:
		return s.applyCall(agent.CallOutput{ID: own, Text: e.Text}, now)
	case agent.ShellEnded:
		s.endCall(agent.CallEnded{
			ID: own, Status: e.Status, Summary: e.Summary, Output: e.Output, Truncated: e.Truncated, ExitCode: e.ExitCode, Elapsed: e.Elapsed,
		}, now)
		s.Busy = false
	default:
		return false
	}
	return true
}

// call finds a call by its id, or begins it, and marks it as changed.
func (s *State) call(id agent.CallID, now time.Time) (*Call, int) {
	if i, ok := s.index.calls[id]; ok {
		if c, ok := s.Items[i].(*Call); ok {
			s.touch(i)
			return c, i
		}
	}
	if s.index.calls == nil {
		s.index.calls = map[agent.CallID]int{}
	}
	c := &Call{ID: id, Started: now}
	i := s.add(c)
	s.index.calls[id] = i
	return c, i
}

// own is what the user's command is found by while it runs; the core's ids are
// others.
const own agent.CallID = "!"

// startOwn begins a command of the user's own.
func (s *State) startOwn(command string, now time.Time) {
	delete(s.index.calls, own) // the one before
	c, _ := s.call(own, now)
	c.Own, c.Kind, c.Status = true, "execute", CallRunning
	c.Tool, c.Title = clean.Trusted("!"), clean.Line(command)
	c.Preview = preview(agent.CommandPreview{Command: command})
	s.Busy = true
	s.Now = Activity{Phase: Running, Since: now, Tool: clean.Linef("! %s", command)}
}

func (s *State) ask(e agent.ApprovalAsked) {
	a := Approval{
		ID: e.ID, Call: e.Call, Tool: clean.Line(e.Tool), Title: clean.Line(e.Title),
		Preview: preview(e.Preview), Dir: clean.VisibleLine(e.Dir), Target: clean.VisibleLine(e.Target),
		NewText: e.NewText, Dangerous: e.Dangerous,
	}
	for _, r := range e.Reasons {
		a.Reasons = append(a.Reasons, clean.Line(r))
	}
	for _, o := range e.Options {
		a.Options = append(a.Options, Option{o.Choice, clean.VisibleLine(o.Label)})
	}
	s.Approvals = append(s.Approvals, a)
}

func (s *State) endCall(e agent.CallEnded, now time.Time) {
	c, _ := s.call(e.ID, now)
	statuses := map[agent.CallStatus]CallState{
		agent.CallOK: CallOK, agent.CallFailed: CallFailed, agent.CallDenied: CallDenied,
		agent.CallInvalid: CallInvalid, agent.CallStopped: CallStopped,
	}
	status, ok := statuses[e.Status]
	if !ok {
		status = CallFailed
	}
	c.Status, c.Summary, c.Elapsed = status, clean.Line(e.Summary), e.Elapsed
	c.Truncated, c.ExitCode = e.Truncated, e.ExitCode
	c.Output.set(e.Output)
	if e.Preview != nil {
		c.Preview = preview(e.Preview)
	}
	switch s.Now.Phase {
	case Running, Composing, Asking:
		s.phase(Connecting, now)
	}
}

// preview cleans what a call shows.
func preview(p agent.Preview) Preview {
	switch p := p.(type) {
	case agent.DiffPreview:
		return Preview{Files: diffs(p.Files)}
	case agent.CommandPreview:
		return Preview{Command: clean.Visible(p.Command), Raw: p.Command, Dir: clean.VisibleLine(p.Dir)}
	case agent.TextPreview:
		return Preview{Text: clean.Block(p.Text), Lang: clean.Line(p.Lang).String()}
	case agent.ChecklistPreview:
		return Preview{Steps: steps(p.Steps)}
	}
	return Preview{}
}

// diffs copies diffs with all their text cleaned: what a diff hides could be
// approved unseen, so that invisible runes are written out.
func diffs(files []fileedit.FileDiff) []fileedit.FileDiff {
	out := slices.Clone(files)
	for i := range out {
		f := &out[i]
		f.Path = clean.Line(f.Path).String()
		f.Warning = clean.Line(f.Warning).String()
		f.Hunks = slices.Clone(f.Hunks)
		for j := range f.Hunks {
			f.Hunks[j].Lines = slices.Clone(f.Hunks[j].Lines)
			for k := range f.Hunks[j].Lines {
				l := &f.Hunks[j].Lines[k]
				l.Text = clean.Source(l.Text).String()
			}
		}
	}
	return out
}

func steps(in []agent.Step) []Step {
	var out []Step
	for _, st := range in {
		status := Pending
		switch st.Status {
		case "in_progress":
			status = InProgress
		case "done":
			status = Done
		}
		out = append(out, Step{clean.Line(st.Text), status})
	}
	return out
}
