package state

import (
	"time"

	"mm/agent"
	"mm/safety/clean"
)

// applyTurn takes what concerns turns and the model's steps.
func (s *State) applyTurn(e agent.Event, now time.Time) bool {
	switch e := e.(type) {
	case agent.TurnStarted:
		s.Busy = true
		s.index.turn.calls, s.index.turn.waited = 0, 0
		s.phase(Connecting, now)
	case agent.StepStarted:
		s.Now = Activity{Phase: Connecting, Since: now}
		s.Now.Read.Total = e.ContextTokens
	case agent.PhaseChanged:
		s.enter(e, now)
	case agent.PromptProgress:
		s.phase(ReadingPrompt, now)
		s.Now.Read = Reading{Known: true, Done: e.Done, Total: e.Total, Cached: e.Cached, Elapsed: e.Elapsed}
	case agent.StepEnded:
		s.endStep(e)
	case agent.CacheBroken:
		s.Gauge.Broken, s.Gauge.BrokenOnPurpose = clean.Line(e.Cause), e.Own
	case agent.Retrying:
		s.Now = Activity{Phase: Retrying, Since: now, Detail: clean.Linef("attempt %d of %d: %s", e.Attempt, e.Max, e.Cause)}
	case agent.TurnEnded:
		s.Busy = false
		s.phase(Resting, now)
		if f, ok := s.last().(*Notice); ok && f.Level == Failure && f.Text == clean.Line(e.Text) {
			e.Text = "" // it stands right above
		}
		if e.Stop != agent.StopAnswer || s.index.turn.calls > 0 || e.Text != "" {
			end := &TurnEnd{Stop: e.Stop, Text: clean.Line(e.Text), Elapsed: max(e.Elapsed-s.index.turn.waited, 0), Tokens: e.Usage.Completion, Next: nextOf[e.Stop]}
			s.index.turn.end = s.add(end) + 1
		}
	case agent.QueueChanged:
		s.Queue = nil
		for _, q := range e.Queued {
			s.Queue = append(s.Queue, clean.Block(q))
		}
	case agent.Idle:
		s.Busy = false
		s.phase(Resting, now)
	default:
		return false
	}
	return true
}

// Next is what goes on after the last turn, and the prompt that it sends: false
// where nothing was stopped, or something runs.
func (s *State) Next() (prompt string, ok bool) {
	end := s.stopped()
	if end == nil || s.Busy {
		return "", false
	}
	if end.Next == GoOn {
		return "go on", true
	}
	for i := s.index.turn.end - 2; i >= 0; i-- {
		if u, ok := s.Items[i].(*User); ok {
			return u.Text.String(), true
		}
	}
	return "", false
}

// stopped is the end of the last turn if it can be gone on with, or nil.
func (s *State) stopped() *TurnEnd {
	if s.index.turn.end == 0 {
		return nil
	}
	end, _ := s.Items[s.index.turn.end-1].(*TurnEnd)
	if end == nil || end.Next == NoNext {
		return nil
	}
	return end
}

// gone takes the offer to go on back.
func (s *State) gone() {
	if end := s.stopped(); end != nil {
		end.Next = NoNext
		s.touch(s.index.turn.end - 1)
	}
}

// enter changes the phase as the server reports it.
func (s *State) enter(e agent.PhaseChanged, now time.Time) {
	phases := map[agent.Phase]Phase{
		"connecting": Connecting, "loading": Loading, "reading": ReadingPrompt,
		"reasoning": Thinking, "answering": Answering, "composing": Composing,
	}
	p, ok := phases[e.Phase]
	if !ok {
		return
	}
	total := s.Now.Read.Total
	s.phase(p, now)
	s.Now.Detail = clean.Line(e.Detail)
	if p == ReadingPrompt && s.Now.Read.Total == 0 {
		s.Now.Read.Total = total
	}
}

// endStep reads the gauges off a finished request.
func (s *State) endStep(e agent.StepEnded) {
	g := &s.Gauge
	if e.Speed.PromptPerSecond > 0 {
		g.ReadRate = e.Speed.PromptPerSecond
	}
	if e.Speed.CompletionPerSecond > 0 {
		g.GenRate = e.Speed.CompletionPerSecond
	}
	if e.Usage.Prompt == 0 {
		return
	}
	g.Broken = clean.Text{} // said after the step, where it holds for it
	g.HasUsage, g.Prompt, g.Cached = true, e.Usage.Prompt, e.Usage.Cached
}
