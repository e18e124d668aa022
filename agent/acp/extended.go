package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/safety"
	"mm/safety/clean"
)

// Setting is something that the client's user chooses for all sessions, such
// as the model.
type Setting struct {
	ID, Name, Description string

	// List returns the values, and the one in force.
	List func(ctx context.Context) (values []string, current string, err error)

	// Use takes up a value of the list, while no turn runs, and returns the
	// command that tells a session of it.
	Use func(ctx context.Context, value string) (agent.Command, error)
}

// settingsPatience bounds how long the values of the settings may take, as a
// new session waits for them.
const settingsPatience = time.Second

// modeID is the id of the setting that is of one session: its mode.
const modeID = "mode"

var modeHelp = map[agent.Mode]string{
	safety.AskMode:     "Asks before each call",
	safety.AcceptEdits: "Edits inside the project unasked, asks before commands",
	safety.Yolo:        "Asks nothing; dangerous",
	safety.ReadOnly:    "Changes nothing, runs nothing that could",
}

// modes is the mode of a session among all, nil when none are offered.
func (s *server) modes(l *live) *sdk.SessionModeState {
	if !s.opts.Extended {
		return nil
	}
	state := &sdk.SessionModeState{CurrentModeId: sdk.SessionModeId(l.modeNow())}
	for _, m := range safety.Modes {
		state.AvailableModes = append(state.AvailableModes,
			sdk.SessionMode{Id: sdk.SessionModeId(m), Name: string(m), Description: sdk.Ptr(modeHelp[m])})
	}
	return state
}

// options are the mode and the settings as selectors, none when they are not
// offered. A setting whose values cannot be had is left out.
func (s *server) options(ctx context.Context, l *live) []sdk.SessionConfigOption {
	if !s.opts.Extended {
		return nil
	}
	mode := sdk.SessionConfigSelectOptionsUngrouped{}
	for _, m := range safety.Modes {
		mode = append(mode, sdk.SessionConfigSelectOption{
			Value: sdk.SessionConfigValueId(m), Name: string(m), Description: sdk.Ptr(modeHelp[m]),
		})
	}
	all := []sdk.SessionConfigOption{selector(Setting{ID: modeID, Name: "Mode", Description: "What runs without a question"}, mode, string(l.modeNow()))}
	ctx, cancel := context.WithTimeout(ctx, settingsPatience)
	defer cancel()
	s.setting.Lock()
	defer s.setting.Unlock()
	for _, setting := range s.opts.Settings {
		values, current, err := setting.List(ctx)
		if err != nil || len(values) == 0 {
			s.log.printf("session %s: no %s to choose from: %v", l.id, setting.ID, err)
			continue
		}
		if !slices.Contains(values, current) {
			values = append([]string{current}, values...)
		}
		list := sdk.SessionConfigSelectOptionsUngrouped{}
		for _, v := range values {
			list = append(list, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(v), Name: clean.Line(v).String()})
		}
		all = append(all, selector(setting, list, current))
	}
	return all
}

func selector(s Setting, values sdk.SessionConfigSelectOptionsUngrouped, current string) sdk.SessionConfigOption {
	o := &sdk.SessionConfigOptionSelect{
		Id: sdk.SessionConfigId(s.ID), Name: s.Name, Description: sdk.Ptr(s.Description), Type: "select",
		CurrentValue: sdk.SessionConfigValueId(current), Options: sdk.SessionConfigSelectOptions{Ungrouped: &values},
	}
	if s.ID == modeID || s.ID == string(sdk.SessionConfigOptionCategoryModel) {
		o.Category = sdk.Ptr(sdk.SessionConfigOptionCategory(s.ID))
	}
	return sdk.SessionConfigOption{Select: o}
}

// invalid is the answer to a request about a session that cannot be met.
func invalid(session string, err error) *sdk.RequestError {
	return sdk.NewInvalidParams(map[string]any{"sessionId": session, "error": err.Error()})
}

var errUnknown = errors.New("there is no such session")

// setMode changes the mode of a session, also while a turn runs.
func (s *server) setMode(params json.RawMessage) (any, *sdk.RequestError) {
	p, refusal := decode[struct{ SessionID, ModeID string }](params)
	if refusal != nil {
		return nil, refusal
	}
	l, ok := s.session(p.SessionID)
	if !ok {
		return nil, invalid(p.SessionID, errUnknown)
	}
	if err := l.setMode(agent.Mode(p.ModeID)); err != nil {
		return nil, invalid(p.SessionID, err)
	}
	return sdk.SetSessionModeResponse{}, nil
}

// setOption changes the mode, or a setting for all sessions.
func (s *server) setOption(ctx context.Context, params json.RawMessage) (any, *sdk.RequestError) {
	p, refusal := decode[struct{ SessionID, ConfigID, Value string }](params)
	if refusal != nil {
		return nil, refusal
	}
	l, ok := s.session(p.SessionID)
	if !ok {
		return nil, invalid(p.SessionID, errUnknown)
	}
	i := slices.IndexFunc(s.opts.Settings, func(s Setting) bool { return s.ID == p.ConfigID })
	var err error
	switch {
	case p.ConfigID == modeID:
		err = l.setMode(agent.Mode(p.Value))
	case i < 0:
		err = fmt.Errorf("there is no setting %q", p.ConfigID)
	default:
		err = s.choose(ctx, l, s.opts.Settings[i], p.Value)
	}
	if err != nil {
		return nil, invalid(p.SessionID, err)
	}
	return sdk.SetSessionConfigOptionResponse{ConfigOptions: s.options(ctx, l)}, nil
}

// choose takes up a value in its place in the queue of turns, where no cancel
// of a session reaches it, and tells all sessions.
func (s *server) choose(ctx context.Context, l *live, setting Setting, value string) error {
	t, _ := s.turns.take(s.turns.join(s.ctx, promptParams{}))
	defer s.turns.leave(t)
	defer context.AfterFunc(ctx, t.cancel)()
	if !t.wait() {
		return errors.New("it was cancelled")
	}
	cmd, err := s.use(t.ctx, setting, value)
	if err != nil {
		return err
	}
	s.log.printf("%s is %s", setting.ID, value)
	for _, other := range s.all() {
		if _, err := other.do(t.ctx, cmd); err != nil {
			s.log.printf("session %s: %v", other.id, err)
			continue
		}
		if other != l {
			other.send([]update{sdk.SessionUpdate{ConfigOptionUpdate: &sdk.SessionConfigOptionUpdate{ConfigOptions: s.options(t.ctx, other)}}})
		}
	}
	return nil
}

// use takes up a value that the setting has. No session begins meanwhile.
func (s *server) use(ctx context.Context, setting Setting, value string) (agent.Command, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.setting.Lock()
	defer s.setting.Unlock()
	limited, cancel := context.WithTimeout(ctx, settingsPatience)
	defer cancel()
	values, _, err := setting.List(limited)
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(values, value):
		return nil, fmt.Errorf("there is no %s %q", setting.ID, value)
	}
	return setting.Use(ctx, value)
}

// handleExtended answers what the reference does not have.
func (s *server) handleExtended(ctx context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
	switch method {
	case sdk.AgentMethodSessionSetMode:
		return s.setMode(params)
	case sdk.AgentMethodSessionSetConfigOption:
		return s.setOption(ctx, params)
	case sdk.AgentMethodSessionClose:
		return s.closeSession(params)
	case sdk.AgentMethodSessionList:
		if s.opts.Store != nil {
			return s.listSessions(params)
		}
	case sdk.AgentMethodSessionResume:
		if s.opts.Store != nil {
			return s.loadSession(ctx, params, true)
		}
	}
	return nil, sdk.NewMethodNotFound(method)
}

// listSessions lists what is stored and was used, of one directory, or of
// those that are in use.
func (s *server) listSessions(params json.RawMessage) (any, *sdk.RequestError) {
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	p, refusal := decode[struct{ Cwd string }](params)
	if refusal != nil {
		return nil, refusal
	}
	dirs := s.directories()
	if p.Cwd != "" {
		if err := (sessionParams{Cwd: p.Cwd}).directory(); err != nil {
			return nil, sdk.NewInvalidParams(map[string]any{"error": err.Error()})
		}
		dirs = []string{filepath.Clean(p.Cwd)}
	}
	list := []sdk.SessionInfo{}
	for _, dir := range dirs {
		store, err := s.opts.Store(dir)
		if err != nil {
			s.log.printf("the sessions of %s cannot be listed: %v", dir, err)
			continue
		}
		entries, err := store.List()
		if err != nil {
			s.log.printf("the sessions of %s cannot be listed: %v", dir, err)
		}
		for _, e := range entries {
			if e.Err == nil && e.Messages > 0 {
				list = append(list, sdk.SessionInfo{
					SessionId: sdk.SessionId(e.ID), Cwd: dir, Title: sdk.Ptr(clean.Line(e.Title).String()),
					UpdatedAt: sdk.Ptr(e.Updated.Format(time.RFC3339)),
				})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b sdk.SessionInfo) int { return strings.Compare(*b.UpdatedAt, *a.UpdatedAt) })
	return sdk.ListSessionsResponse{Sessions: list}, nil
}

// directories are those of the sessions that are served, and that of the
// process.
func (s *server) directories() []string {
	var dirs []string
	if cwd, err := os.Getwd(); err == nil {
		dirs = append(dirs, cwd)
	}
	for _, l := range s.all() {
		if !slices.Contains(dirs, l.cwd) {
			dirs = append(dirs, l.cwd)
		}
	}
	return dirs
}

// closeSession ends a session with all that runs in it or waits for it. What
// was said stays on disk.
func (s *server) closeSession(params json.RawMessage) (any, *sdk.RequestError) {
	p, refusal := decode[sessionParams](params)
	if refusal != nil {
		return nil, refusal
	}
	s.turns.cancel(p.SessionID, true)
	l := s.take(p.SessionID)
	if l == nil {
		return nil, invalid(p.SessionID, errUnknown)
	}
	l.close()
	s.log.printf("session %s closed", p.SessionID)
	return sdk.CloseSessionResponse{}, nil
}
