package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
)

// The slash commands that ask no model. /rename is one where Extended is set.
const (
	slashNew     = "/new"
	slashCompact = "/compact"
	slashRename  = "/rename"
)

// stopReasons translate the ends of turns. The protocol has no word for a
// model that goes in circles or for a permission that nobody could give: these
// turns are over, and a line of the answer says why.
var stopReasons = map[agent.Stop]sdk.StopReason{
	agent.StopAnswer:    sdk.StopReasonEndTurn,
	agent.StopCancelled: sdk.StopReasonCancelled,
	agent.StopMaxTurns:  sdk.StopReasonMaxTurnRequests,
	agent.StopMaxTokens: sdk.StopReasonMaxTokens,
	agent.StopStuck:     sdk.StopReasonEndTurn,
	agent.StopRefused:   sdk.StopReasonEndTurn,
}

// prompt carries out a session/prompt: it waits for its place in the queue,
// runs the turn, and answers when each update was sent.
func (s *server) prompt(ctx context.Context, params json.RawMessage) (any, *sdk.RequestError) {
	var number int
	err := json.Unmarshal(params, &number)
	t, ok := s.turns.take(number)
	if err != nil || !ok {
		return nil, internal(errors.New("the prompt was lost"))
	}
	defer s.turns.leave(t)
	defer context.AfterFunc(ctx, t.cancel)() // $/cancel_request

	l, ok := s.session(t.SessionID)
	if t.ctx.Err() != nil {
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	}
	if !ok {
		return nil, invalid(t.SessionID, errUnknown)
	}
	text := t.text()
	if strings.TrimSpace(text) == "" {
		return nil, invalid(t.SessionID, errors.New("the prompt holds no text"))
	}
	if !t.wait() {
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	}
	reason, err := l.answer(t.ctx, text)
	switch {
	case t.ctx.Err() != nil:
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	case err != nil:
		return nil, internal(err)
	}
	return sdk.PromptResponse{StopReason: reason}, nil
}

// answer runs one prompt, a slash command or a question to the model.
func (l *live) answer(ctx context.Context, text string) (sdk.StopReason, error) {
	switch strings.TrimSpace(text) {
	case slashNew:
		return l.slash(ctx, agent.Clear{}, l.newLine)
	case slashCompact:
		return l.slash(ctx, agent.Compact{}, l.compactLine)
	}
	if name, title, _ := strings.Cut(strings.TrimSpace(text), " "); name == slashRename && l.srv.opts.Extended {
		return l.slash(ctx, agent.Rename{Title: title}, l.renameLine)
	}
	for _, path := range agent.Mentioned(text, l.cwd) {
		l.srv.log.printf("session %s: attached %s", l.id, path)
	}
	j, err := l.do(ctx, agent.Prompt{Text: text})
	if err != nil {
		return "", err
	}
	if j.turn == nil {
		return "", errors.New("the turn ended without a word")
	}
	l.srv.log.printf("turn done: %s", l.tr.tally)
	reason, ok := stopReasons[j.turn.Stop]
	if !ok {
		return "", errors.New(j.turn.Text)
	}
	return reason, nil
}

// slash carries out a command that asks no model, and says how it went in one
// line.
func (l *live) slash(ctx context.Context, cmd agent.Command, line func(*job) (string, error)) (sdk.StopReason, error) {
	j, err := l.do(ctx, cmd)
	text := ""
	switch {
	case errors.Is(err, agent.ErrNoTitle):
		text = err.Error()
	case err != nil:
		return "", err
	case ctx.Err() != nil:
		return sdk.StopReasonCancelled, nil
	default:
		if text, err = line(j); err != nil {
			return "", err
		}
	}
	l.send([]update{sdk.UpdateAgentMessageText(text)})
	return sdk.StopReasonEndTurn, nil
}

func (l *live) newLine(j *job) (string, error) {
	if j.cleared == nil {
		return "", errors.New(j.fault)
	}
	if j.cleared.Kept != "" {
		l.srv.log.printf("session %s: previous conversation kept as %s", l.id, j.cleared.Kept)
	}
	l.srv.log.printf("session %s: new session, %d message(s) forgotten", l.id, j.cleared.Forgotten)
	return fmt.Sprintf("🆕 New session: %d message(s) forgotten.", j.cleared.Forgotten), nil
}

func (l *live) renameLine(j *job) (string, error) {
	if j.titled == nil {
		return "", errors.New(cmp.Or(j.fault, "nothing was said of the title"))
	}
	l.srv.log.printf("session %s: called %q", l.id, j.titled.Title)
	return fmt.Sprintf("🏷️ This session is called %q now.", j.titled.Title), nil
}

func (l *live) compactLine(j *job) (string, error) {
	if j.compacted == nil {
		return "", errors.New(cmp.Or(j.fault, "nothing was said of the compaction"))
	}
	line := j.compacted.Line
	if !strings.HasPrefix(line, "[") { // a failure stands in brackets
		line = "🗜️ " + line
	}
	l.srv.log.printf("session %s: /compact — %s", l.id, line)
	return line, nil
}
