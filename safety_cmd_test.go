package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mm/safety/sandbox"
)

// scriptCondition answers the conditions of scenarios that are not those of
// testscript itself: [sandbox] is that commands can be confined here.
func scriptCondition(cond string) (bool, error) {
	if cond == "sandbox" {
		return sandbox.Probe().Works, nil
	}
	return false, fmt.Errorf("there is no condition %q", cond)
}

// Whatever a line holds, there is one answer for it, on one line.
func FuzzAnswerLines(f *testing.F) {
	f.Add("{}\n{\"cmd\":\"ls\"}\n")
	f.Add("\n\nx\n[1]\n\"a\"")
	f.Add("{\"cmd\":\"a\\nb\"}\r\n\x00")
	f.Fuzz(func(t *testing.T, in string) {
		questions, wrong := 0, 0
		for line := range strings.Lines(in) {
			if strings.TrimSpace(line) != "" {
				questions++
			}
		}
		var out strings.Builder
		err := answerLines(strings.NewReader(in), &out, func(q []byte) (any, error) {
			if !json.Valid(q) {
				wrong++
				return nil, errors.New("not JSON")
			}
			return json.RawMessage(q), nil
		})
		if (err != nil) != (wrong > 0) {
			t.Errorf("%d wrong questions: %v", wrong, err)
		}
		answers := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if out.Len() == 0 {
			answers = nil
		}
		if len(answers) != questions {
			t.Errorf("%d answers to %d questions: %q", len(answers), questions, out.String())
		}
		for _, a := range answers {
			if !json.Valid([]byte(a)) {
				t.Errorf("an answer that is not JSON: %q", a)
			}
		}
	})
}
