package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mm/agent"
)

// grace is how long a core has to end a turn after it was interrupted.
const grace = 10 * time.Second

// driven is what was seen of a core while it worked on a task.
type driven struct {
	counts
	model   agent.ModelInfo
	answer  strings.Builder // what the model said in the last turn
	doubted bool            // the answer before may be made up
	stop    agent.Stop      // how the last turn ended
	advice  string
	skipped string // why the task could not begin
	late    bool   // the time was over
	elapsed time.Duration

	core Core
}

// drive runs a core from its start to its end and sends it the prompts of a
// task.
func drive(ctx context.Context, core Core, t Task, limit time.Duration) *driven {
	d := &driven{core: core, counts: counts{repairs: map[string]int{}}}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = core.Run(life) // it ends by life alone
	}()
	defer func() {
		end()
		for range core.Events() { //nolint:revive // the core needs its reader until it has ended
		}
		<-done
	}()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	if d.until(limited, d.begin(t)) && d.skipped == "" {
		d.converse(limited, t)
	}
	d.late = limited.Err() != nil && ctx.Err() == nil
	return d
}

// begin waits for the core to be ready and looks at what it offers.
func (d *driven) begin(t Task) func(agent.Event) bool {
	return func(e agent.Event) bool {
		if ready, ok := e.(agent.SessionReady); ok {
			for _, name := range t.Skills {
				if !slices.ContainsFunc(ready.Skills, func(s agent.Skill) bool { return s.Name == name }) {
					d.skipped = fmt.Sprintf("the skill %s is not offered to the model", name)
				}
			}
		}
		_, idle := e.(agent.Idle)
		return idle
	}
}

// converse sends the prompts, each after the turn before was answered.
func (d *driven) converse(ctx context.Context, t Task) {
	for _, prompt := range t.Prompts {
		d.answer.Reset()
		if d.core.Do(agent.Prompt{Text: prompt}) != nil {
			return
		}
		began, ended := time.Now(), false
		going := d.until(ctx, func(e agent.Event) bool {
			d.see(e)
			switch e.(type) {
			case agent.TurnEnded:
				d.elapsed += time.Since(began)
				ended = true
			case agent.Idle:
				return ended
			}
			return false
		})
		if !ended {
			d.elapsed += time.Since(began)
		}
		if !going || d.stop == agent.StopFailed || d.stop == agent.StopCancelled {
			return
		}
	}
}

// see takes an event of a turn.
func (d *driven) see(e agent.Event) {
	d.count(e)
	switch e := e.(type) {
	case agent.TextEnded:
		d.answer.WriteString(e.Text + "\n")
	case agent.AnswerDoubted:
		d.doubted = true
	case agent.CallStarted:
		if d.doubted {
			d.answer.Reset() // it was made up
		}
		d.doubted = false
	case agent.ApprovalAsked:
		// A closed core asks nothing.
		_ = d.core.Do(agent.Decide{ID: e.ID, Choice: agent.ChoiceReject, Note: "This is outside of the task. Stay inside of the project folder."})
	case agent.TurnEnded:
		d.stop, d.advice = e.Stop, e.Text
	}
}

// until reads events until over says so. It returns false when ctx ended,
// after the core was interrupted and the turn has ended.
func (d *driven) until(ctx context.Context, over func(agent.Event) bool) bool {
	interrupted := false
	expired := ctx.Done()
	var giveUp <-chan time.Time
	for {
		select {
		case batch, ok := <-d.core.Events():
			if !ok {
				return false
			}
			found := false
			for _, e := range batch {
				if m, ok := e.(agent.ModelChanged); ok {
					d.model = m.Model
				}
				found = over(e) || found
			}
			if found {
				return !interrupted
			}
		case <-expired:
			interrupted, expired = true, nil
			_ = d.core.Do(agent.Interrupt{}) // a closed core needs none
			t := time.NewTimer(grace)
			defer t.Stop()
			giveUp = t.C
		case <-giveUp:
			return false
		}
	}
}

// fill writes what was seen into a result.
func (d *driven) fill(res *Result) {
	d.into(res)
	res.Skipped = d.skipped
	res.Seconds = d.elapsed.Seconds()
	res.Stop = string(d.stop)
	if d.stop != agent.StopAnswer {
		res.Error = d.advice
	}
	if d.late {
		res.Stop, res.Error = "time", ""
	}
}
