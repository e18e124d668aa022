package gauge

import (
	"fmt"
	"slices"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/diffview"
	"mm/ui/state"
	"mm/ui/style"
	"mm/ui/transcript"
)

// Side draws the pane beside the conversation: plan, files changed, messages
// typed ahead, jobs in the background, session.
func Side(sheet *style.Sheet, s *state.State, version clean.Text, w, h int) []string {
	var rows []string
	title := func(t string) {
		if len(rows) > 0 {
			rows = append(rows, "")
		}
		rows = append(rows, sheet.Paint(themes.Heading, t))
	}
	if len(s.Plan) > 0 {
		title("plan")
		rows = append(rows, plan(sheet, s.Plan, w, max(h/2, 3))...)
	}
	if len(s.Files) > 0 {
		title("files changed")
		rows = append(rows, files(sheet, s.Files, w, max(h/3, 3))...)
	}
	if len(s.Queue) > 0 {
		title("queued")
		for _, q := range s.Queue[:min(len(s.Queue), 3)] {
			rows = append(rows, cells.Clip("› "+clean.Line(q.FirstLine().String()).String(), w))
		}
	}
	if len(s.Jobs) > 0 {
		title("in the background")
		for _, j := range s.Jobs[:min(len(s.Jobs), 4)] {
			rows = append(rows, cells.Clip("⚙ "+clean.Line(j.FirstLine().String()).String(), w))
		}
	}
	title("session")
	fact := func(label, text string) {
		if text != "" {
			rows = append(rows, sheet.Paint(themes.Dim, label+" ")+cells.Clip(text, w-cells.Width(label)-1))
		}
	}
	if s.Gauge.Limit > 0 {
		source := ""
		if !s.Model.WindowSource.IsEmpty() {
			source = " (" + s.Model.WindowSource.String() + ")"
		}
		fact("window", transcript.Count(s.Gauge.Limit)+source)
	}
	fact("id", s.ID.String())
	fact("mm", version.String())
	return cells.Pad(rows, w, h)
}

// plan draws the steps around the one in progress, in at most most rows.
func plan(sheet *style.Sheet, steps []state.Step, w, most int) []string {
	var rows []string
	active := 0
	for _, st := range steps {
		sign, role := transcript.StepMark(st.Status)
		if st.Status == state.InProgress {
			active = len(rows)
		}
		for i, r := range cells.Wrap(st.Text.String(), w-2) {
			if i > 0 {
				sign = " "
			}
			rows = append(rows, sheet.Paint(role, sign+" "+r))
		}
	}
	return around(sheet, rows, active, most)
}

func files(sheet *style.Sheet, list []state.FileChange, w, most int) []string {
	var rows []string
	for _, f := range slices.Backward(list) {
		stat := diffview.Stat(sheet, f.Added, f.Removed)
		rows = append(rows, cells.Right(tail(f.Path.String(), max(w-cells.Width(stat)-1, 1)), stat, w))
	}
	return around(sheet, rows, 0, most)
}

// around keeps most rows, among them the active one.
func around(sheet *style.Sheet, rows []string, active, most int) []string {
	if len(rows) <= most {
		return rows
	}
	top := max(min(active-1, len(rows)-most+1), 0)
	out := slices.Clone(rows[top : top+most-1])
	return append(out, sheet.Paint(themes.Dim, fmt.Sprintf("… %d of %d lines", most-1, len(rows))))
}
