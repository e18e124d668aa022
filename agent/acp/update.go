package acp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/safety/clean"
)

// update is the body of a session/update. Calls are of our own types: the
// SDK's union goes through a map of floats, in which large integers of
// rawInput lose digits, and it cannot write oldText as null.
type update any

// Values of sessionUpdate for calls.
const (
	kindToolCall       = "tool_call"
	kindToolCallUpdate = "tool_call_update"
)

// toolCall is a tool_call, a tool_call_update, or the call of a permission
// request, which has no Kind of update. What is empty is not sent.
type toolCall struct {
	Update    string             `json:"sessionUpdate,omitempty"`
	ID        string             `json:"toolCallId"`
	Title     string             `json:"title,omitempty"`
	Kind      sdk.ToolKind       `json:"kind,omitempty"`
	Status    sdk.ToolCallStatus `json:"status,omitempty"`
	Content   []content          `json:"content,omitempty"`
	Locations []location         `json:"locations,omitempty"`
	RawInput  json.RawMessage    `json:"rawInput,omitempty"`
	RawOutput *rawOutput         `json:"rawOutput,omitempty"`
}

type rawOutput struct {
	Output string `json:"output"`
}

type location struct {
	Path string `json:"path"` // absolute
	Line int    `json:"line,omitempty"`
}

// content is a textContent or a diffContent.
type content any

type textContent struct {
	Type    string           `json:"type"`
	Content sdk.ContentBlock `json:"content"`
}

// diffContent holds whole files. OldText is null when the file is new.
type diffContent struct {
	Type    string  `json:"type"`
	Path    string  `json:"path"` // absolute
	OldText *string `json:"oldText"`
	NewText string  `json:"newText"`
}

func textOf(s string) []content {
	return []content{textContent{Type: "content", Content: sdk.TextBlock(s)}}
}

// titled tells what a session is called.
func titled(title string) update {
	return sdk.SessionUpdate{SessionInfoUpdate: &sdk.SessionSessionInfoUpdate{Title: sdk.Ptr(clean.Line(title).String())}}
}

// availableCommands lists the slash commands and the skills.
func availableCommands(skills []agent.Skill, extended bool) update {
	list := []sdk.AvailableCommand{
		{Name: "new", Description: "Clear the history and start a new session"},
		{Name: "compact", Description: "Compress the history now, keeping the last turns"},
	}
	withInput := func(name, description, hint string) {
		list = append(list, sdk.AvailableCommand{
			Name: name, Description: description,
			Input: &sdk.AvailableCommandInput{Unstructured: &sdk.UnstructuredCommandInput{Hint: hint}},
		})
	}
	if extended {
		withInput("rename", "Give the session another title", "title")
	}
	for _, s := range skills {
		withInput(s.Name, s.Description, "parameters")
	}
	return sdk.SessionUpdate{AvailableCommandsUpdate: &sdk.SessionAvailableCommandsUpdate{AvailableCommands: list}}
}

// planStatuses translate the steps of the plan tool.
var planStatuses = map[string]sdk.PlanEntryStatus{
	"pending":     sdk.PlanEntryStatusPending,
	"in_progress": sdk.PlanEntryStatusInProgress,
	"done":        sdk.PlanEntryStatusCompleted,
}

func planOf(steps []agent.Step) update {
	entries := make([]sdk.PlanEntry, len(steps))
	for i, s := range steps {
		status, ok := planStatuses[s.Status]
		if !ok {
			status = sdk.PlanEntryStatusPending
		}
		entries[i] = sdk.PlanEntry{Content: s.Text, Status: status, Priority: sdk.PlanEntryPriorityMedium}
	}
	return sdk.UpdatePlan(entries...)
}

// callIDs makes the ids of calls: call_1, call_2, ... for the whole process,
// so that no two calls of it are taken for one.
type callIDs struct {
	mu   sync.Mutex
	last int
}

func (c *callIDs) next() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	return fmt.Sprintf("call_%d", c.last)
}

// replayed is the id of a stored call, which keeps its number. New ids start
// past it.
func (c *callIDs) replayed(id agent.CallID) string {
	digits, ok := strings.CutPrefix(string(id), "c")
	number, err := strconv.Atoi(digits)
	if !ok || err != nil || number < 1 {
		return string(id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last, number)
	return fmt.Sprintf("call_%d", number)
}
