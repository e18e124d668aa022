package agent

import "fmt"

// Stats are the figures of a conversation, added up from its events. The zero
// value is ready; a front end that wants them gives it every event.
type Stats struct {
	Turns, Steps, Calls int
	Usage               Usage // of all requests

	// Expected is how many tokens of the prompts the server had read before,
	// of those requests where it tells what it found in its cache.
	Expected int
	Repairs  []string // the lines, in order
	Retries  int
	Broken   []CacheBroken
	Speed    Speed // of the last answer
}

// Add takes in an event.
func (s *Stats) Add(e Event) {
	switch e := e.(type) {
	case SessionReady, Cleared:
		*s = Stats{}
	case TurnStarted:
		s.Turns++
	case StepEnded:
		s.Steps++
		s.Usage.Add(e.Usage)
		s.Expected += e.Expected
		if e.Speed.CompletionPerSecond > 0 {
			s.Speed = e.Speed
		}
	case Compacted:
		s.Usage.Add(e.Usage)
		s.Expected += e.Usage.Cached
	case CallEnded:
		s.Calls++
	case Retrying:
		s.Retries++
	case CacheBroken:
		s.Broken = append(s.Broken, e)
	case CallPlanned:
		s.Repairs = append(s.Repairs, e.Repairs...)
	case Notice:
		if e.Level == Repair {
			s.Repairs = append(s.Repairs, e.Text)
		}
	}
}

// Lines tell the figures, one thing a line.
func (s *Stats) Lines() []string {
	lines := []string{
		fmt.Sprintf("%d turns, %d model calls, %d tool calls, %d repairs, %d retries", s.Turns, s.Steps, s.Calls, len(s.Repairs), s.Retries),
		fmt.Sprintf("%d tokens of prompt, %d of answers", s.Usage.Prompt, s.Usage.Completion),
	}
	if s.Usage.Prompt > 0 && s.Usage.Cached > 0 {
		lines = append(lines, fmt.Sprintf("cache: %d tokens found (%.0f %% of the prompts), about %d could have been, %d read",
			s.Usage.Cached, share(s.Usage.Cached, s.Usage.Prompt), max(s.Expected, s.Usage.Cached), s.Usage.Prompt-s.Usage.Cached))
	}
	if s.Speed.CompletionPerSecond > 0 {
		lines = append(lines, fmt.Sprintf("speed: %.0f tokens/s read, %.1f written", s.Speed.PromptPerSecond, s.Speed.CompletionPerSecond))
	}
	for _, b := range s.Broken {
		lines = append(lines, fmt.Sprintf("step %d: about %d tokens read again: %s", b.Step, b.Again, b.Cause))
	}
	return lines
}

func share(part, whole int) float64 {
	const percent = 100
	return percent * float64(part) / float64(whole)
}
