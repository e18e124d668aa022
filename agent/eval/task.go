package eval

import (
	"fmt"
	"regexp"
	"slices"
)

// Kind says how a task is judged.
type Kind string

// The kinds of tasks.
const (
	// Whole tasks are judged by the files and the answer that they leave.
	Whole Kind = "whole"

	// Routing cases are judged by the first calls of one turn, with tools
	// that only record.
	Routing Kind = "routing"
)

// Difficulty grades a task.
type Difficulty string

// The difficulties, in rising order.
const (
	Easy   Difficulty = "easy"
	Medium Difficulty = "medium"
	Hard   Difficulty = "hard"
)

// Difficulties lists them in order.
var Difficulties = []Difficulty{Easy, Medium, Hard}

// Task is one thing that a model is asked to do, with what is there before and
// what must hold after. Parse makes it; it does not change.
type Task struct {
	Name       string
	Title      string // one line
	Kind       Kind
	Difficulty Difficulty
	Language   string // go, python, javascript, markdown, yaml; of routing cases en or fr

	// Prompts are sent one after another, each when the turn before has ended.
	Prompts []string

	// Steps is how many calls of the model a turn may make.
	Steps int

	Needs  []string // programs without which the task is skipped
	Skills []string // skills without which the task is skipped
	Quick  bool     // part of the small set that Tune runs unless told otherwise

	may      []string // patterns of the files that may be changed or removed
	project  files
	base     files // committed to git before the project is laid over it
	skills   files
	want     files // exact content after
	hidden   files // put in place before commands of the check run
	checks   []check
	route    route
	solution solution
}

// files maps slash-separated paths to contents.
type files map[string][]byte

// solution is a reference, kept with the task to prove its check.
type solution struct {
	files  files
	remove []string
	run    []string
	answer string
}

// route is what a routing case wants the model to call: one of tools, or the
// skill, or nothing when both are empty.
type route struct {
	skill string
	tools []string
}

// Match returns the tasks whose names the pattern, a regular expression, finds.
// An empty pattern keeps all.
func Match(tasks []Task, pattern string) ([]Task, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	var out []Task
	for _, t := range tasks {
		if re.MatchString(t.Name) {
			out = append(out, t)
		}
	}
	return out, nil
}

// Quick returns the small set for Tune.
func Quick(tasks []Task) []Task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return !t.Quick })
}
