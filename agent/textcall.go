package agent

import (
	"cmp"
	"fmt"
	"strings"

	"mm/llm"
)

// readText looks for calls that the model wrote into its answer in place of
// making them: they are made, and not shown. It is strict, and does nothing
// when the user asked what a call looks like. A call that is not understood, or
// was cut, is taken out of the text too, and kept in unread.
func (s *streaming) readText(a *answer) {
	m := &a.Message
	textTools := s.shape().TextTools
	if len(m.Calls) > 0 || s.opts.NoTextCalls && !textTools || llm.AsksForExample(s.asked) {
		return
	}
	if calls, rest, ok := s.textCalls(a); ok {
		m.Text = rest
		if s.noTools {
			return // not to be run, and not to be shown either
		}
		m.Calls = calls
		if !textTools {
			s.repaired(repairedText, "repaired: a call written as text was taken for a call of %s", calls[0].Name)
		}
		return
	}
	prose, block := s.splitCall(a)
	switch {
	case block == "" || a.Complete && s.mending.noted && !s.noTools:
		// No call, or the second one that nobody can read: it is shown.
	case s.noTools:
		m.Text = prose
	default:
		m.Text, a.unread = prose, block
		if call, ok := llm.CutCall(block, s.declared()); ok && !a.Complete {
			m.Calls = []llm.Call{call} // its file may be finished
		}
	}
}

// textCalls reads the calls in the text of a whole answer. A model that leaves
// no answer may have written its call at the end of its reasoning, where no
// server looks for it.
func (s *streaming) textCalls(a *answer) (calls []llm.Call, rest string, ok bool) {
	if !a.Complete {
		return nil, "", false
	}
	declared := s.declared()
	for _, skill := range s.opts.Skills { // a skill called as if it were a tool
		declared = append(declared, llm.ToolSpec{Name: skill.Name})
	}
	if a.Message.Text != "" {
		return llm.TextCalls(a.Message.Text, declared)
	}
	if !llm.HasCallMarkup(a.Reasoning) {
		return nil, "", false
	}
	calls, _, ok = llm.TextCalls(a.Reasoning, declared)
	return calls, "", ok
}

// splitCall cuts the text of an answer before what is meant as a call: markup
// at the start of a line that holds more than words, or JSON that began as a
// call does and was cut.
func (s *streaming) splitCall(a *answer) (prose, block string) {
	text := a.Message.Text
	prose, block = llm.SplitCall(text)
	if block == "" && !a.Complete && s.hold.Holding() && s.open.text == "" {
		return "", text
	}
	if block == "" && a.Complete && llm.CallShaped(text) {
		return "", text // of a tool that there is not
	}
	line := prose[strings.LastIndexByte(prose, '\n')+1:]
	if block == "" || strings.TrimSpace(line) != "" || !strings.ContainsAny(block, "{=") && s.toolIn(block) == "" {
		return text, ""
	}
	return strings.TrimSpace(prose), block
}

// toolIn returns the first declared tool that a text names, or "".
func (c *Core) toolIn(text string) string {
	found, at := "", len(text)
	for _, spec := range c.opts.Tools.Specs() {
		if i := strings.Index(text, spec.Name); i >= 0 && i < at {
			found, at = spec.Name, i
		}
	}
	return found
}

// unreadable tells the model, once in a turn, that its call was not understood
// and how to make it.
func (g *generation) unreadable(a *answer) {
	g.mending.noted = true
	g.keepPartial(a.Response)
	g.logf("not understood: %q", a.unread)
	tool := g.toolIn(a.unread)
	text := "Your call was not understood and did not run. "
	if tool == "" {
		text += "Your tools are: " + strings.Join(toolNames(g.opts.Tools.Specs()), ", ") + ". "
	}
	text += "Make it again, in this form, with nothing after it:\n" +
		fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", cmp.Or(tool, "NAME"), g.formOf(tool))
	g.note(text)
	g.repaired(repairedText, "repaired: a call written as text was not understood, asked to make it again")
}

// formOf shows the arguments of a tool.
func (c *Core) formOf(tool string) string {
	for _, spec := range c.opts.Tools.Specs() {
		if spec.Name == tool {
			return signature(spec.Schema)
		}
	}
	return "{...}"
}
