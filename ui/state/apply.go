package state

import (
	"hash/maphash"
	"time"

	"mm/agent"
	"mm/safety/clean"
)

// seed makes the sums of answers comparable.
var seed = maphash.MakeSeed()

// Apply takes one event. now is the moment of its arrival.
func (s *State) Apply(e agent.Event, now time.Time) {
	if !s.applyStream(e, now) && !s.applyCall(e, now) && !s.applyTurn(e, now) {
		s.applySession(e)
	}
	if !s.Busy {
		s.Now = Activity{} // what a resumed session replays is no activity
	}
}

// applySession takes what concerns the session as a whole.
func (s *State) applySession(e agent.Event) {
	switch e := e.(type) {
	case agent.SessionReady:
		s.Ready = true
		s.ID, s.Cwd, s.Title = clean.Line(e.Session), clean.Line(e.Cwd), clean.Line(e.Title)
		s.Mode, s.Unconfined = e.Mode, e.Unconfined
		s.setModel(e.Model)
		s.Skills = nil
		for _, k := range e.Skills {
			s.Skills = append(s.Skills, Skill{clean.Line(k.Name), clean.Line(k.Description)})
		}
	case agent.ModelChanged:
		s.setModel(e.Model)
	case agent.ModeChanged:
		s.Mode = e.Mode
	case agent.TitleChanged:
		s.Title = clean.Line(e.Title)
	case agent.PlanUpdated:
		s.Plan = steps(e.Steps)
	case agent.ContextUsage:
		s.Gauge.Used, s.Gauge.Limit, s.Gauge.Exact = e.Used, e.Limit, e.Exact
	case agent.Compacted:
		if !e.Changed {
			s.add(&Notice{Text: clean.Line(e.Line)})
			return
		}
		s.add(&Summary{Line: clean.Line(e.Line), Before: e.Before, After: e.After, Text: clean.Block(e.Summary)})
	case agent.Cleared:
		s.clear(e)
	case agent.ContextMapped:
		s.Fill = Fill{Used: e.Used, Limit: e.Limit}
		for _, p := range e.Parts {
			s.Fill.Parts = append(s.Fill.Parts, FillPart{clean.Line(p.Name), p.Tokens, p.Frees, p.Call, p.Masked, p.Pinned})
		}
	case agent.ChangesMapped:
		s.Net = diffs(e.Files)
	case agent.FilesChanged:
		s.Files = nil
		for _, f := range e.Files {
			s.Files = append(s.Files, FileChange{clean.Line(f.Path), f.Added, f.Removed, f.Created})
		}
	case agent.Warming:
		s.Warming = e.On
	case agent.Notice:
		s.add(&Notice{Level: levelOf(e.Level), Text: clean.Line(e.Text)})
	case agent.Fault:
		s.add(&Notice{Level: Failure, Text: clean.Line(e.Text)})
	}
}

func (s *State) setModel(m agent.ModelInfo) {
	s.Model = Model{
		ID: clean.Line(m.ID), Provider: clean.Line(m.Provider), URL: clean.Line(m.BaseURL),
		Window: m.ContextWindow, WindowSource: clean.Line(m.WindowSource), NoTools: m.NoTools,
	}
	if s.Gauge.Limit == 0 || s.Gauge.Used == 0 {
		s.Gauge.Limit = m.ContextWindow
	}
}

// clear empties the conversation. What concerns the session stays.
func (s *State) clear(e agent.Cleared) {
	s.ID, s.Title = clean.Line(e.Session), clean.Text{}
	s.Items, s.dirty, s.Plan, s.Files = nil, nil, nil, nil
	s.index = index{}
	s.Gauge.Used, s.Gauge.Exact = 0, false
	text := clean.Trusted("New conversation.")
	if e.Kept != "" {
		text = clean.Linef("New conversation. The old one, %d messages, is kept as %s.", e.Forgotten, e.Kept)
	}
	s.add(&Notice{Level: Info, Text: text})
}

func levelOf(l agent.Level) NoticeLevel {
	switch l {
	case agent.Repair:
		return Repair
	case agent.Warn:
		return Warning
	}
	return Info
}

// applyStream takes the text of the user and the model.
func (s *State) applyStream(e agent.Event, now time.Time) bool {
	switch e := e.(type) {
	case agent.UserMessage:
		s.gone()
		s.add(&User{Text: clean.Block(e.Text)})
	case agent.TextDelta:
		a, i := s.answer(e.ID)
		a.sum.WriteString(e.Text)
		a.size += len(e.Text)
		if t := a.stream.Write(e.Text); !t.IsEmpty() {
			a.Chunks = append(a.Chunks, t)
			s.touch(i)
		}
		s.phase(Answering, now)
	case agent.TextEnded:
		s.endAnswer(e)
	case agent.ReasoningDelta:
		r, i := s.reasoning(e.ID, now)
		if t := r.stream.Write(e.Text); !t.IsEmpty() {
			r.Chunks = append(r.Chunks, t)
			s.touch(i)
		}
		s.phase(Thinking, now)
	case agent.ReasoningEnded:
		r, i := s.reasoning(e.ID, now)
		r.Ended, r.Elapsed, r.Tokens = true, e.Elapsed, e.Tokens
		s.touch(i)
	default:
		return false
	}
	return true
}

// answer finds an answer by its id, or begins it.
func (s *State) answer(id agent.ItemID) (*Answer, int) {
	if i, ok := s.index.items[id]; ok {
		if a, ok := s.Items[i].(*Answer); ok {
			return a, i
		}
	}
	a := &Answer{}
	a.sum.SetSeed(seed)
	return a, s.register(id, a)
}

func (s *State) reasoning(id agent.ItemID, now time.Time) (*Reasoning, int) {
	if i, ok := s.index.items[id]; ok {
		if r, ok := s.Items[i].(*Reasoning); ok {
			return r, i
		}
	}
	r := &Reasoning{Started: now}
	return r, s.register(id, r)
}

func (s *State) register(id agent.ItemID, it Item) int {
	if s.index.items == nil {
		s.index.items = map[agent.ItemID]int{}
	}
	i := s.add(it)
	s.index.items[id] = i
	return i
}

// endAnswer closes an answer, whose text may differ from what was streamed.
func (s *State) endAnswer(e agent.TextEnded) {
	a, i := s.answer(e.ID)
	s.touch(i)
	a.Ended = true
	if t := a.stream.Flush(); !t.IsEmpty() {
		a.Chunks = append(a.Chunks, t)
	}
	if len(e.Text) == a.size && maphash.String(seed, e.Text) == a.sum.Sum64() {
		return
	}
	a.Chunks = []clean.Text{clean.Block(e.Text)}
	a.Epoch++
}

// phase changes what goes on, keeping the start of an unchanged phase.
func (s *State) phase(p Phase, now time.Time) {
	if s.Now.Phase == p {
		return
	}
	s.Now = Activity{Phase: p, Since: now}
}
