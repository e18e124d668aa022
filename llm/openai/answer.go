package openai

import (
	"fmt"
	"strings"
	"time"

	"mm/llm"
)

// answer is what has come of an answer.
type answer struct {
	filter       llm.ThinkFilter
	textRunes    runeJoiner
	textGuard    llm.TextGuard
	reasoning    strings.Builder // from the server's own field
	thoughtRunes runeJoiner
	thoughtGuard llm.TextGuard
	calls        calls
	length       llm.LengthGuard
	finish       llm.Finish
	server       string
	usage        llm.Usage
	speed        llm.Speed
}

// take yields what one event says.
func (s *stream) take(c *chunk) error {
	if c.ID != "" {
		s.c.setRunning(c.ID)
	}
	if server := strings.TrimSpace(string(c.Model + " " + c.Build)); s.server == "" && server != "" {
		s.server = server
		s.c.answeredBy(server)
	}
	delta, finish := c.delta()
	if finish != "" {
		s.finish = finishOf(string(finish))
	}
	s.count(c)
	seen := signAlive
	if c.Progress != nil {
		seen = signProgress
		if err := s.progress(c.Progress); err != nil {
			return err
		}
	}
	token, err := s.content(&delta)
	if err != nil {
		return err
	}
	if token {
		seen = signToken
	}
	s.guard.saw(seen)
	if why := s.length.Add(delta.written()); why != "" && s.finish == llm.FinishNone {
		return &llm.Error{Kind: llm.Overlong, Message: why}
	}
	if seen == signAlive {
		return s.emit(llm.Alive{})
	}
	return nil
}

// content yields reasoning, text and calls, and reports whether there were
// any.
func (s *stream) content(d *wireDelta) (token bool, err error) {
	if thought := d.thought(); thought != "" {
		token = true
		if err := s.think(s.thoughtRunes.add(thought)); err != nil {
			return token, err
		}
	}
	if said := d.Content + d.Refusal; said != "" {
		token = true
		if err := s.pieces(s.filter.Write(s.textRunes.add(string(said)))); err != nil {
			return token, err
		}
	}
	for _, f := range d.ToolCalls {
		delta, ok := s.calls.add(f)
		if s.calls.tooMany() {
			return true, &llm.Error{Kind: llm.RunawayCall, Message: fmt.Sprintf("more than %d tool calls in one answer", maxCalls)}
		}
		if !ok {
			continue
		}
		token = true
		if err := s.show(llm.Composing, delta); err != nil {
			return token, err
		}
		if why := s.calls.runaway(delta); why != "" {
			return token, &llm.Error{Kind: llm.RunawayCall, Message: why}
		}
	}
	return token, nil
}

func (s *stream) think(text string) error {
	if text == "" {
		return nil
	}
	s.reasoning.WriteString(text)
	return s.showReasoning(text)
}

func (s *stream) pieces(pieces []llm.Piece) error {
	for _, p := range pieces {
		var err error
		if p.Reasoning {
			err = s.showReasoning(p.Text)
		} else {
			err = s.showText(p.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) showReasoning(text string) error {
	if err := s.show(llm.Reasoning, llm.ReasoningDelta{Text: text}); err != nil {
		return err
	}
	return runawayAnswer("the reasoning: ", s.thoughtGuard.Add(text))
}

func (s *stream) showText(text string) error {
	if err := s.show(llm.Answering, llm.TextDelta{Text: text}); err != nil {
		return err
	}
	return runawayAnswer("the answer: ", s.textGuard.Add(text))
}

func runawayAnswer(where, why string) error {
	if why == "" {
		return nil
	}
	return &llm.Error{Kind: llm.RunawayAnswer, Message: where + why}
}

func (s *stream) progress(p *wireProgress) error {
	return s.emit(llm.Progress{
		Total: p.Total, Cached: p.Cache, Processed: p.Processed,
		Elapsed: time.Duration(p.TimeMS * float64(time.Millisecond)),
	})
}

// count keeps usage and timings. The usage field wins where both are sent.
func (s *stream) count(c *chunk) {
	if t := c.Timings; t != nil {
		s.speed = llm.Speed{PromptPerSecond: t.PromptPerSecond, CompletionPerSecond: t.PredictedPerSecond}
		s.usage = llm.Usage{Prompt: t.Cached + t.Prompt, Cached: t.Cached, Completion: t.Predicted}
	}
	if u := c.Usage; u != nil && u.Prompt+u.Completion > 0 {
		s.usage = llm.Usage{Prompt: u.Prompt, Cached: u.Details.Cached, Completion: u.Completion}
	}
}

// finishOf maps the words that servers use.
func finishOf(reason string) llm.Finish {
	switch reason {
	case "function_call", "tool_use":
		return llm.FinishCalls
	case "eos", "end_turn", "stop_sequence":
		return llm.FinishStop
	case "max_tokens":
		return llm.FinishLength
	}
	return llm.Finish(reason)
}

// response assembles what has come.
func (s *stream) response() (tail []llm.Piece, r llm.Response) {
	complete := s.x != nil && !s.x.reader.broken && s.finish != llm.FinishLength &&
		(s.finish != llm.FinishNone || s.x.reader.done)
	tail, text, leaked := s.filter.End(!complete)
	return tail, llm.Response{
		Message:   llm.Message{Role: llm.Assistant, Text: text, Calls: s.calls.finish(complete)},
		Reasoning: strings.TrimSpace(s.reasoning.String() + leaked),
		Finish:    s.finish,
		Complete:  complete,
		Usage:     s.usage,
		Speed:     s.speed,
		Server:    s.server,
	}
}

// clipLast shortens the call that ran away: its full length helps nobody, and
// would fill the history.
func clipLast(calls []llm.Call) {
	const keep = 200
	if n := len(calls) - 1; n >= 0 && len(calls[n].Args) > keep {
		calls[n].Args = strings.ToValidUTF8(calls[n].Args[:keep], "") + "…"
	}
}
