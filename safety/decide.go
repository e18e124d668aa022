package safety

import (
	"fmt"
	"slices"
	"strings"
)

// Decide judges an action with what it does besides.
func (p *Policy) Decide(a Action) Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.complete(a)
	for _, also := range a.Also {
		v = stricter(v, p.complete(also))
	}
	return v
}

// complete judges one action and says what an answer would mean.
func (p *Policy) complete(a Action) Verdict {
	v := p.decide(a)
	if v.Decision == Ask && v.Refusal == "" {
		v.Always, v.Refusal = p.covers(a), p.unattended(a)
	}
	return v
}

// stricter joins the verdict on an action with that on what it does besides.
// What is remembered of the one does not answer for the other, so "always" is
// offered only where the action itself is asked.
func stricter(v, also Verdict) Verdict {
	switch {
	case v.Decision == Deny || also.Decision == Allow:
		return v
	case also.Decision == Deny:
		return also
	case v.Decision == Allow:
		also.Always = ""
		return also
	}
	v.Reasons = append(slices.Clone(v.Reasons), also.Reasons...)
	v.Dangerous = v.Dangerous || also.Dangerous
	return v
}

func (p *Policy) decide(a Action) Verdict {
	r := p.options.Rules.judge(a, p.options.Dir)
	if r.decision == Deny {
		return Verdict{Decision: Deny, Reasons: []string{"forbidden by " + r.why}, Refusal: fmt.Sprintf(
			"[refused: the user's configuration forbids this (%s); do it another way, or leave it to the user]", r.why)}
	}
	switch a.Op {
	case None:
		return Verdict{Decision: Allow}
	case Execute:
		return p.command(a, r)
	}
	return p.file(a, r)
}

// file judges reading, writing and fetching.
func (p *Policy) file(a Action, r ruling) Verdict {
	onFile := a.Op == Read || a.Op == Write
	if onFile && a.Path.Class == Refused {
		return Verdict{
			Decision: Deny, Reasons: reasons(a),
			Refusal: fmt.Sprintf("[refused: %s is %s; only regular files can be used]",
				a.Path.Named, a.Path.Reason),
		}
	}
	if p.mode == ReadOnly {
		if v, done := readOnly(a); done {
			return v
		}
	}
	byRule := r.decision == Allow && r.found && !p.askAll()
	switch {
	case r.decision == Ask && r.found:
		return askedByRule(a, r)
	case onFile && a.Path.Class == Outside && byRule:
		return Verdict{Decision: Allow}
	case onFile && a.Path.Class != Inside:
		if p.mode == Yolo && p.options.YoloOutside && !p.askAll() {
			return Verdict{Decision: Allow}
		}
		return Verdict{Decision: Ask, Reasons: reasons(a)}
	case a.Empties && (p.mode != Yolo || p.askAll()):
		return Verdict{Decision: Ask, Reasons: []string{"empties a file that has content"}}
	case p.granted(a), byRule, !p.askAll() && p.free(a.Op):
		return Verdict{Decision: Allow}
	}
	return Verdict{Decision: Ask, Reasons: reasons(a)}
}

// askedByRule is the verdict where the configuration wants a question each
// time: "always" is not offered.
func askedByRule(a Action, r ruling) Verdict {
	return Verdict{
		Reasons: append(reasons(a), "asked because of "+r.why),
		Refusal: fmt.Sprintf("[refused: %s needs the user's permission here (%s), and nobody can be asked in this run]", a.Tool, r.why),
	}
}

// command judges a command line. A perilous one is asked again each time,
// except under AskAll, whose "always" is literal, and where a rule names it
// word for word.
func (p *Policy) command(a Action, r ruling) Verdict {
	j := p.judge(a.Command)
	harmless, perilous := j.Risk == Harmless && p.options.Sandbox, j.Risk == Perilous
	v := Verdict{Decision: Allow, Approved: p.approved()}
	v.Permit.Tier = v.Approved
	if harmless {
		v.Permit = Permit{Tier: TierRead, Line: j.Canonical}
	}
	byRule := r.decision == Allow && r.found && (r.exact || !perilous)
	switch {
	case p.mode == ReadOnly && !harmless:
		v.Decision, v.Reasons, v.Refusal = Deny, j.Reasons, p.readOnlyCommand(j)
		return v
	case r.decision == Ask && r.found:
		asked := askedByRule(a, r)
		v.Decision, v.Reasons, v.Refusal = Ask, asked.Reasons, asked.Refusal
	case p.askAll():
		if p.granted(a) {
			return v
		}
		v.Decision = Ask
	case perilous && p.mode != Yolo && !byRule, !p.unasked(a, harmless, byRule):
		v.Decision = Ask
	default:
		return v
	}
	v.Dangerous = perilous
	v.Reasons = append(slices.Clone(j.Reasons), v.Reasons...)
	if j.Risk == Harmless {
		v.Reasons = append(v.Reasons, "only reads, as far as can be told")
	}
	confined := v.Permit.Tier.Describe()
	if v.Permit.Tier != TierNone && !harmless && !p.options.AskAll {
		confined += fmt.Sprintf("; with %q in front of it, it runs without", strings.TrimSpace(Unconfined))
	}
	v.Reasons = append(v.Reasons, confined)
	return v
}

// unasked tells whether a command that is not perilous runs without a question.
func (p *Policy) unasked(a Action, harmless, byRule bool) bool {
	switch {
	case p.mode == Yolo, byRule, p.granted(a):
		return true
	case p.mode == AcceptEdits, p.mode == ReadOnly:
		return harmless
	}
	return harmless && p.options.AutoApproveReads
}

// approved is the tier of commands that the user let through.
func (p *Policy) approved() Tier {
	switch {
	case !p.options.Sandbox:
		return TierNone
	case p.options.Offline:
		return TierWrite
	}
	return TierNetwork
}

// granted tells whether an earlier "always" covers an action.
func (p *Policy) granted(a Action) bool {
	if p.askAll() || a.Op != Execute {
		return p.always[p.grantFor(a)]
	}
	if p.always[grant{tool: a.Tool, subject: a.Command}] {
		return true
	}
	prefixes, ok := linePrefixes(a.Command)
	for _, prefix := range prefixes {
		ok = ok && p.always[grant{a.Tool, prefix, true}]
	}
	return ok
}

// free tells what the mode allows without a question inside the project.
func (p *Policy) free(op Op) bool {
	switch p.mode {
	case Yolo:
		return true
	case AcceptEdits:
		return op == Read || op == Write
	case ReadOnly:
		return op == Read
	}
	return op == Read && p.options.AutoApproveReads
}
