package agent

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/safety/clean"
)

// turn is one question and all that is done to answer it.
type turn struct {
	*Core
	number  int
	started time.Time
	usage   llm.Usage
	open    open // what has begun and not ended

	steps    int  // calls of the model so far
	refused  bool // something was refused because nobody could be asked
	mending  mending
	lastTool string
	failed   bool   // the last call did not do what it should
	asked    string // what the user typed
	told     string // what the user did before, given with it
}

// outcome is why a turn ends, with one line of advice.
type outcome struct {
	stop   Stop
	advice string
}

// runTurn answers one prompt. It always ends with TurnEnded, after whatever it
// began was closed, also when it panics.
func (c *Core) runTurn(ctx context.Context, text string) {
	t := &turn{Core: c, number: c.lastTurn() + 1, started: time.Now(), asked: text}
	result := outcome{stop: StopCancelled}
	defer c.opts.TurnLock.take(ctx)() // given back after the end was saved and told
	defer func() {
		if p := recover(); p != nil {
			result = outcome{StopFailed, "an internal error ended the turn; the session is kept"}
			c.emit(Fault{Text: fmt.Sprintf("internal error: %v", p)})
			c.logf("panic in a turn: %v\n%s", p, debug.Stack())
		}
		t.end(ctx, result)
	}()
	c.emit(TurnStarted{Turn: t.number})
	t.begin(text)
	if ctx.Err() != nil {
		return
	}
	c.knowModel(ctx)
	t.noteModel()
	result = t.loopModel(ctx)
}

// noteModel keeps on disk which model the turn asks.
func (t *turn) noteModel() {
	turns := t.opts.Session.Turns
	last := &turns[len(turns)-1]
	if last.Provider != t.model.Provider || last.Model != t.model.ID {
		last.Provider, last.Model = t.model.Provider, t.model.ID
		t.save()
	}
}

// begin puts the user's message into the history.
func (t *turn) begin(text string) {
	t.loop.reset()
	t.opts.Session.Turns = append(t.opts.Session.Turns, session.Turn{
		Number:   t.number,
		Started:  t.started,
		Provider: t.model.Provider,
		Model:    t.model.ID,
	})
	if t.opts.Session.Title == "" {
		t.opts.Session.Title = title(text)
		t.emit(TitleChanged{Title: t.opts.Session.Title})
	}
	t.emit(UserMessage{ID: t.ids.item(), Text: text})
	item := session.Item{Message: llm.Message{Role: llm.User, Text: t.expand(text)}}
	if shared := &t.opts.Session.Shared; *shared != "" {
		t.told = *shared
		item.Text, *shared = *shared+"\n\n"+item.Text, ""
	}
	if item.Text != text {
		item.Shown = text
	}
	t.add(item)
}

// loopModel calls the model and runs its calls until it answers, or a stop.
func (t *turn) loopModel(ctx context.Context) outcome {
	for {
		if t.steps >= t.opts.MaxTurns {
			return t.lastWords(ctx)
		}
		resp, end := t.generate(ctx)
		if len(resp.Message.Calls) == 0 && (end == nil || end.stop == StopMaxTokens) {
			l := t.lacks(ctx, resp, end != nil)
			switch t.mend(ctx, l) {
			case askedAgain:
				continue
			case mendCancelled:
				return outcome{stop: StopCancelled}
			case notMended:
				if end == nil {
					return t.answered(ctx, resp, l)
				}
				return *end
			}
		} else if end != nil {
			return *end
		}
		t.leaveOutDoubted()
		if end := t.runCalls(ctx); end != nil {
			return *end
		}
	}
}

// answered ends a turn whose model stopped calling tools, with what its answer
// lacks.
func (t *turn) answered(ctx context.Context, resp llm.Response, l *lack) outcome {
	if strings.TrimSpace(resp.Message.Text) == "" {
		text := "the model gave no answer"
		if t.lastTool != "" {
			text += "; the last thing it did was " + t.lastTool
		}
		text += ": ask again, or in other words"
		t.emit(Fault{Text: text})
		return outcome{StopFailed, text}
	}
	undone, broken := t.left(ctx, l)
	if undone != "" {
		t.emit(Notice{Level: Warn, Text: undone + " in this turn, whatever the answer says"})
	}
	if broken != "" {
		t.emit(Notice{Level: Warn, Text: broken + " (/undo takes the changes of the turn back)"})
	}
	if t.opts.Grounding {
		if claims := unseen(resp.Message.Text, t.opts.Session.Items, t.opts.Session.Cwd); len(claims) > 0 {
			t.emit(Notice{Level: Warn, Text: "not seen in this session: " + strings.Join(claims, ", ")})
		}
	}
	if t.refused {
		text := "something needed a permission and nobody could be asked: use -mode accept-edits or -yolo"
		if t.opts.Policy.Mode() == safety.Yolo {
			text = "something was refused that is asked in yolo mode too (a rule of yours, or a file outside of the project), and nobody could be asked"
		}
		return outcome{StopRefused, text}
	}
	return outcome{stop: StopAnswer}
}

// lastWords asks for one more answer, without tools, when the turn has used up
// its calls of the model.
func (t *turn) lastWords(ctx context.Context) outcome {
	t.emit(Notice{Level: Warn, Text: fmt.Sprintf("%d model calls in this turn: asking for a summary", t.opts.MaxTurns)})
	t.note("You have used all the steps of this turn. Do not call tools. Summarise in a few sentences what you did and what remains.")
	_, end := t.generateWith(ctx, request{noTools: true})
	if end != nil && end.stop == StopCancelled {
		return *end
	}
	return outcome{StopMaxTurns, fmt.Sprintf("stopped after %d model calls (maxTurns): send \"go on\" to continue", t.opts.MaxTurns)}
}

// end closes whatever is open, keeps the session, and ends the turn.
func (t *turn) end(ctx context.Context, o outcome) {
	if ctx.Err() != nil && o.stop != StopAnswer {
		o = outcome{StopCancelled, "cancelled: what was done so far is kept"}
	}
	t.closeAll()
	t.answerOpenCalls()
	t.dropUnanswered(o)
	if turns := t.opts.Session.Turns; len(turns) > 0 && turns[len(turns)-1].Number == t.number {
		last := &turns[len(turns)-1]
		last.Stop, last.Usage, last.Elapsed = string(o.stop), t.usage, time.Since(t.started)
		last.Provider, last.Model = t.model.Provider, t.model.ID
		if o.stop != StopAnswer {
			last.Error = o.advice
		}
	}
	t.save()
	t.emit(TurnEnded{
		Turn:    t.number,
		Stop:    o.stop,
		Text:    o.advice,
		Usage:   t.usage,
		Elapsed: time.Since(t.started),
	})
}

// answerOpenCalls gives each call of the history a result, so that it stays
// well formed whatever ended the turn.
func (t *turn) answerOpenCalls() {
	items := t.opts.Session.Items
	answered := map[string]bool{}
	for i := len(items) - 1; i >= 0; i-- {
		switch items[i].Role {
		case llm.Tool:
			answered[items[i].CallID] = true
		case llm.Assistant:
			for _, call := range items[i].Calls {
				if !answered[call.ID] {
					t.opts.Session.Items = append(t.opts.Session.Items, session.Item{
						Message: llm.Message{Role: llm.Tool, CallID: call.ID, Text: "[cancelled: this call did not run]"},
						Turn:    t.number, Tool: call.Name, Title: call.Name, Status: string(CallStopped),
					})
				}
			}
			return
		case llm.User:
			return
		}
	}
}

// dropUnanswered takes a question out again that got no answer at all. What
// the user typed is on the screen and in the history of prompts.
func (t *turn) dropUnanswered(o outcome) {
	if o.stop == StopAnswer {
		return
	}
	items := t.opts.Session.Items
	for len(items) > 0 && items[len(items)-1].Turn == t.number && items[len(items)-1].Note {
		items = items[:len(items)-1] // the program's own words, which nobody answers now
	}
	t.opts.Session.Items = items
	first := len(items)
	for first > 0 && items[first-1].Turn == t.number && !items[first-1].Summary {
		first--
	}
	for _, item := range items[first:] {
		if item.Role != llm.User {
			return
		}
	}
	t.opts.Session.Items = items[:first]
	t.opts.Session.Shared = t.told // what was given with it waits for the next message
}

// add appends to the history and keeps it on disk.
func (t *turn) add(item session.Item) {
	item.Turn = t.number
	t.opts.Session.Items = append(t.opts.Session.Items, item)
	t.gauge.add(item)
	t.save()
}

// note adds a message of the program's own to the conversation, where it
// stays: the model reads it, the user is told in a line of its own.
func (t *turn) note(text string) {
	t.add(session.Item{Message: llm.Message{Role: llm.User, Text: text}, Note: true})
}

func (c *Core) lastTurn() int {
	if n := len(c.opts.Session.Turns); n > 0 {
		return c.opts.Session.Turns[n-1].Number
	}
	return 0
}

// titleLength is how many runes of the first message name a session.
const titleLength = 60

// title is the first line of a text as a name: cleaned and short.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return clip(strings.TrimSpace(clean.Line(line).String()), titleLength)
}

// clip shortens a text to its first runes, and shows that it did.
func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
