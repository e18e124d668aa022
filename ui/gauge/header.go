package gauge

import (
	"strings"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/state"
	"mm/ui/style"
)

// leastTitle is how many cells a conversation's title must get to be shown.
const leastTitle = 12

// Header draws the first line: model, server, directory, branch, title and
// mode. What does not fit goes, the title first, then the directory's
// beginning, then the server; the mode stays.
func Header(sheet *style.Sheet, s *state.State, dir, branch clean.Text, w int) string {
	mode := string(s.Mode)
	if mode == "" {
		mode = "ask"
	}
	badge := sheet.Paint(themes.Accent, mode)
	if mode == "yolo" {
		badge = sheet.Paint(themes.Danger, " YOLO: nothing is asked ")
		if w < 70 {
			badge = sheet.Paint(themes.Danger, " YOLO ")
		}
	}
	if s.Unconfined {
		badge += " " + sheet.Paint(themes.Error, "no sandbox")
	}
	rule := func(n int) string { return sheet.Paint(themes.Faint, strings.Repeat("─", max(n, 0))) }
	end := " " + badge + " " + rule(1)
	left := rule(1) + " " + sheet.Paint(themes.Accent, "mm") + " "
	for _, p := range parts(s, dir, branch, w-cells.Width(left)-cells.Width(end)) {
		left += rule(2) + " " + p + " "
	}
	return cells.Fit(left+rule(w-cells.Width(left)-cells.Width(end))+end, w)
}

// parts chooses what fits into room cells.
func parts(s *state.State, dir, branch clean.Text, room int) []string {
	model := s.Model.ID.String()
	server := s.Model.Provider.String()
	where := dir.String()
	if !branch.IsEmpty() {
		where += " (" + branch.String() + ")"
	}
	full := model
	if full == "" {
		full = "no model"
	} else if server != "" {
		full += " @ " + server
	}
	width := func(list ...string) int {
		n := 0
		for _, p := range list {
			n += cells.Width(p) + 4
		}
		return n
	}
	if left := room - width(full, where); left >= 0 {
		list := []string{full, where}
		if title := s.Title.String(); title != "" && left > leastTitle+4 {
			list = append(list, cells.Clip(title, left-5))
		}
		return list
	}
	least := 8 // of the directory, with its branch

	// Without a model there is no server to give way.
	if model != "" && !branch.IsEmpty() {
		least += cells.Width(branch.String()) + 3
	}
	if left := room - width(full) - 4; left >= least {
		return []string{full, tail(where, left)}
	}
	if left := room - width(model) - 4; model != "" && left >= 8 {
		return []string{model, tail(where, left)}
	}
	if model == "" {
		model = full
	}
	if room < 8 {
		return nil
	}
	return []string{cells.Clip(model, room-4)}
}

// tail keeps the end of a path.
func tail(s string, w int) string {
	r := []rune(s)
	for len(r) > 0 && cells.Width(string(r)) > w-1 {
		r = r[1:]
	}
	if len(r) < len([]rune(s)) {
		return cells.Ellipsis + string(r)
	}
	return s
}
