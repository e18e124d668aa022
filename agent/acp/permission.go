package acp

import (
	"context"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
)

// permission is a session/request_permission.
type permission struct {
	SessionID string       `json:"sessionId"`
	ToolCall  toolCall     `json:"toolCall"`
	Options   []permOption `json:"options"`
}

type permOption struct {
	ID   agent.Choice             `json:"optionId"`
	Name string                   `json:"name"`
	Kind sdk.PermissionOptionKind `json:"kind"`
}

// permOptions are the three options of the reference. Where the core does not
// offer "always", since it would not remember it, the name says so.
func permOptions(offered []agent.Option) []permOption {
	names := map[agent.Choice]string{
		agent.ChoiceAllow:  "Allow once",
		agent.ChoiceAlways: "Allow; such a call is asked about each time",
		agent.ChoiceReject: "Reject",
	}
	for _, o := range offered {
		names[o.Choice] = o.Label
	}
	return []permOption{
		{agent.ChoiceAllow, names[agent.ChoiceAllow], sdk.PermissionOptionKindAllowOnce},
		{agent.ChoiceAlways, names[agent.ChoiceAlways], sdk.PermissionOptionKindAllowAlways},
		{agent.ChoiceReject, names[agent.ChoiceReject], sdk.PermissionOptionKindRejectOnce},
	}
}

// outcome is the client's answer. It is no more than data: only decide says
// what it means.
type outcome struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

// ask sends a question to the client and lets the answer decide. It returns
// when the question is on the wire, so that what follows comes behind it. The
// request does not end with the turn: the client answers it when it cancels,
// and an answer that comes late is the core's to drop.
func (l *live) ask(q agent.ApprovalAsked) {
	request := permission{SessionID: l.id, ToolCall: l.tr.asked(q), Options: permOptions(q.Options)}
	sent := make(chan struct{})
	ctx := sentContext{context.Background(), sync.OnceFunc(func() { close(sent) })}
	asking := l.srv.spawn(func() {
		defer ctx.sent()
		answer, err := sdk.SendRequest[outcome](l.srv.conn, ctx, sdk.ClientMethodSessionRequestPermission, request)
		if err != nil {
			l.srv.log.printf("session %s: the question is answered by an error, and so by no: %v", l.id, err)
		}
		_ = l.core.Do(agent.Decide{ID: q.ID, Choice: decide(answer, err)}) // after the end nothing runs
	})
	if asking {
		<-sent
	}
}

// decide is no unless the client chose a known option.
func decide(answer outcome, err error) agent.Choice {
	if err != nil || answer.Outcome.Outcome != "selected" {
		return agent.ChoiceReject
	}
	switch choice := agent.Choice(answer.Outcome.OptionID); choice {
	case agent.ChoiceAllow, agent.ChoiceAlways:
		return choice
	}
	return agent.ChoiceReject
}

// sentContext tells when the request made with it is on the wire: the
// connection asks for Done when it begins to wait for the answer.
type sentContext struct {
	context.Context
	sent func()
}

func (c sentContext) Done() <-chan struct{} {
	c.sent()
	return c.Context.Done()
}
