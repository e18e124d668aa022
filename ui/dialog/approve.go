package dialog

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/composer"
	"mm/ui/diffview"
	"mm/ui/keys"
	"mm/ui/state"
	"mm/ui/style"
)

// Quiet is how long no key may have come before an answer counts: what was
// typed before the question was read must not answer it.
const Quiet = 300 * time.Millisecond

// Decided is the answer to a question. It becomes agent.Decide.
type Decided struct {
	ID      agent.ApprovalID
	Choice  agent.Choice
	Note    string
	Command string
	NewText string
}

func (Decided) result() {}

// Approve asks about a call.
type Approve struct {
	State state.Approval

	sheet  *style.Sheet
	quiet  time.Time // of the last key that came too early, or the opening
	choice int
	always bool   // the second act of "always" is waited for
	note   string // why a key did nothing
	written
	shown
}

// written is what the user writes in a question.
type written struct {
	mode   approveMode
	edit   *composer.Composer
	before string // what was in edit at first
}

// shown is what is drawn of a question, and where.
type shown struct {
	w, h  int
	body  []string
	atW   int
	view  scroller
	loose bool // the head has no room of its own and scrolls with the body
	must  int  // rows of view that must have been in sight before it is allowed
}

// approveMode says what the keys are for.
type approveMode int

const (
	choosing approveMode = iota
	telling              // a reason for the model
	editing              // the command, or the new text
)

// NewApprove returns the question, opened now.
func NewApprove(a state.Approval, sheet *style.Sheet, now time.Time) *Approve {
	d := &Approve{State: a, sheet: sheet, quiet: now}
	if a.Dangerous {
		d.choice = d.find(refuse)
	}
	return d
}

// act is one of the answers offered.
type act int

const (
	allow act = iota
	always
	refuse
	tell
	edit
	whole
)

// acts lists what is offered, in order.
func (d *Approve) acts() []act {
	list := []act{allow}
	if d.offersAlways() {
		list = append(list, always)
	}
	list = append(list, refuse, tell)
	if d.editable() != "" {
		list = append(list, edit)
	}
	return append(list, whole)
}

// editable is what can be edited before it runs, or is written.
func (d *Approve) editable() string { return cmp.Or(d.State.Preview.Raw, d.State.NewText) }

func (d *Approve) offersAlways() bool {
	if d.State.Dangerous {
		return false
	}
	for _, o := range d.State.Options {
		if o.Choice == agent.ChoiceAlways {
			return true
		}
	}
	return false
}

func (d *Approve) find(a act) int {
	for i, x := range d.acts() {
		if x == a {
			return i
		}
	}
	return 0
}

// SetSize gives the room.
func (d *Approve) SetSize(w, h int) {
	d.w, d.h = w, h
	if d.edit != nil {
		d.edit.SetWidth(w - 4)
	}
}

// Armed reports whether answers count yet.
func (d *Approve) Armed(now time.Time) bool { return now.Sub(d.quiet) >= Quiet }

// Key answers, scrolls, or does nothing yet.
func (d *Approve) Key(msg tea.KeyMsg, now time.Time) Result {
	if !d.Armed(now) {
		d.quiet = now
		return Unused{}
	}
	d.note = ""
	if d.mode != choosing {
		return d.write(msg, now)
	}
	if len(msg.Runes) > 1 {
		// A word answers nothing, nor does the Enter behind it: it was meant
		// for somewhere else.
		d.quiet, d.always = now, false
		return Unused{}
	}
	if d.always {
		d.always = false
		if keys.Is(msg, keys.Always) || keys.Is(msg, keys.Confirm) {
			return d.decide(agent.ChoiceAlways, "")
		}
		return nil
	}
	n := len(d.acts())
	switch {
	case keys.Is(msg, keys.Allow):
		return d.do(allow)
	case keys.Is(msg, keys.Always):
		return d.do(always)
	case keys.Is(msg, keys.Refuse):
		return d.do(refuse)
	case keys.Is(msg, keys.Tell):
		return d.do(tell)
	case keys.Is(msg, keys.Edit):
		return d.do(edit)
	case keys.Is(msg, keys.Whole):
		return d.do(whole)
	case keys.Is(msg, keys.ChoicePre):
		d.choice = (d.choice + n - 1) % n
	case keys.Is(msg, keys.ChoiceNxt):
		d.choice = (d.choice + 1) % n
	case keys.Is(msg, keys.Confirm):
		return d.do(d.acts()[d.choice])
	default:
		d.view.key(msg)
	}
	return nil
}

// do carries an answer out.
func (d *Approve) do(a act) Result {
	switch a {
	case allow:
		if d.unseen() {
			d.note = scrollFirst()
			return nil
		}
		return d.decide(agent.ChoiceAllow, "")
	case always:
		switch {
		case d.State.Dangerous:
			d.note = "not offered for a dangerous call"
		case !d.offersAlways():
			d.note = "not offered for this call"
		case d.unseen():
			d.note = scrollFirst()
		case len(d.sure(max(d.w-4, 1))) > d.h-2:
			d.note = "too long to show; " + keys.Hint("allows it once", keys.Allow)
		default:
			d.always = true
		}
	case refuse:
		return d.decide(agent.ChoiceReject, "")
	case tell:
		d.open(telling, "")
	case edit:
		if d.editable() == "" {
			d.note = "not offered for this call; " + keys.Hint("tells the model what you want", keys.Tell)
			return nil
		}
		d.open(editing, d.editable())
	case whole:
		return Opened{&Page{Title: "All of it", Approval: d.State.ID, Draw: d.page}}
	}
	return nil
}

func scrollFirst() string {
	return "scroll to the end first: " + keys.Name(keys.RowDown) + " or " + keys.Name(keys.PageDown)
}

// unseen reports whether the question, or part of a command, was never on the
// screen.
func (d *Approve) unseen() bool { return d.body == nil || d.view.seen < d.must }

func (d *Approve) decide(c agent.Choice, note string) Result {
	return Decided{ID: d.State.ID, Choice: c, Note: note}
}

func (d *Approve) open(mode approveMode, text string) {
	d.mode, d.edit = mode, composer.New(d.sheet)
	d.edit.SetWidth(d.w - 4)
	d.edit.SetText(text)
	d.before = d.edit.Draft()
}

// write takes the keys while a reason or the command is written.
func (d *Approve) write(msg tea.KeyMsg, now time.Time) Result {
	switch {
	case keys.Is(msg, keys.Close):
		d.mode, d.edit = choosing, nil
		return nil
	case !keys.Is(msg, keys.Send):
		d.edit.Key(msg, now)
		return nil
	case d.mode == telling:
		return d.decide(agent.ChoiceReject, strings.TrimSpace(d.edit.Draft()))
	case strings.TrimSpace(d.edit.Draft()) == "":
		d.note = "nothing is left of it; " + keys.Hint("goes back", keys.Close)
		return nil
	}
	r := Decided{ID: d.State.ID, Choice: agent.ChoiceAllow}
	switch draft := d.edit.Draft(); {
	case draft == d.before: // as the model wrote it
	case d.State.Preview.Raw != "":
		r.Command = draft
	default:
		r.NewText = draft
	}
	return r
}

// Scroll moves the shown part by rows.
func (d *Approve) Scroll(n int) { d.view.scroll(n) }

// remark is how clean.Visible writes out what would not be seen.
var remark = regexp.MustCompile(`⟨[^⟩]*⟩`)

func marked(sheet *style.Sheet, row string) string {
	return remark.ReplaceAllStringFunc(row, func(s string) string { return sheet.Paint(themes.Error, s) })
}

// draw draws the authoritative block: what will be done, to the letter.
func (d *Approve) draw(sheet *style.Sheet, w int) []string {
	p := d.State.Preview
	var rows []string
	switch {
	case !p.Command.IsEmpty():
		rows = cells.Chop(p.Command.String(), w)
		for i, r := range rows {
			rows[i] = marked(sheet, r)
		}
	case len(p.Files) > 0:
		for _, f := range p.Files {
			head := f.Path
			if f.Created {
				head += " (new file)"
			}
			if f.Deleted {
				head += " (deleted)"
			}
			rows = append(rows, cells.Right(head, diffview.Stat(sheet, f.Added, f.Removed), w))
			rows = append(rows, diffview.Rows(sheet, f, w)...)
		}
	case !p.Text.IsEmpty():
		rows = cells.Wrap(p.Text.String(), w)
	default:
		rows = cells.Wrap(d.State.Title.String(), w)
	}
	return rows
}

// page is the head and the block as one text.
func (d *Approve) page(sheet *style.Sheet, w int) []string {
	rows := d.head(sheet, w)
	if len(rows) > 0 {
		rows = append(rows, "")
	}
	return append(rows, d.draw(sheet, w)...)
}

// View draws the question: where it goes and the reasons first, the
// authoritative block last, right above the answers. Where there is no room for
// the head and some rows of the block, they scroll as one.
func (d *Approve) View(sheet *style.Sheet) []string {
	d.sheet = sheet
	inner := max(d.w-4, 1)
	role, title := themes.Warn, "Allow this?"
	if d.State.Dangerous {
		role, title = themes.Error, "DANGEROUS. Allow this?"
	}
	foot := d.foot(sheet, inner)
	if d.body == nil || d.atW != inner {
		d.body, d.atW = d.draw(sheet, inner), inner
		d.view.seen = 0 // its rows are others
	}
	rows := d.fit(d.head(sheet, inner), d.h-2-len(foot))
	rows = append(rows, foot...)
	right := d.State.Tool.String()
	if where := d.view.where(d.w); where != "" {
		right = where
	}
	return frame(sheet, role, title, right, rows, d.w)
}

// leastBody is how much of the block must have room below the head, in rows.
const leastBody = 3

// fit lays head and block out in room rows.
func (d *Approve) fit(head []string, room int) []string {
	least := min(len(d.body), leastBody)
	if loose := len(head)+least > room; loose != d.loose {
		d.loose = loose
		d.view.shift(len(head), loose)
	}
	d.must = 0
	if !d.State.Preview.Command.IsEmpty() {
		d.must, least = len(d.body), len(d.body)
	}
	if d.loose {
		all := append(head, d.body...)
		d.must = len(head) + least
		d.view.fit(len(all), min(len(all), room))
		return d.view.window(all)
	}
	d.view.fit(len(d.body), min(len(d.body), room-len(head)))
	return append(head, d.view.window(d.body)...)
}

// head says what is really meant, where it would run and why it is asked.
func (d *Approve) head(sheet *style.Sheet, w int) []string {
	var rows []string
	line := func(label string, t clean.Text) {
		if t.IsEmpty() {
			return
		}
		for _, r := range cells.Chop(t.String(), w-cells.Width(label)) {
			rows = append(rows, sheet.Paint(themes.Dim, label)+marked(sheet, r))
			label = cells.Spaces(cells.Width(label))
		}
	}
	dir := d.State.Dir
	if dir.IsEmpty() {
		dir = d.State.Preview.Dir
	}
	line("real target ", d.State.Target)
	line("in ", dir)
	for _, r := range d.State.Reasons {
		for i, row := range cells.Wrap(r.String(), w-2) {
			sign := "  "
			if i == 0 {
				sign = sheet.Paint(themes.Warn, "! ")
			}
			rows = append(rows, sign+row)
		}
	}
	return rows
}

// foot is the answers, or what is being written.
func (d *Approve) foot(sheet *style.Sheet, w int) []string {
	switch {
	case d.mode != choosing:
		return d.writing(sheet, w)
	case d.always:
		rows := d.sure(w)
		for i, r := range rows[:len(rows)-1] {
			rows[i] = sheet.Paint(themes.Warn, r)
		}
		rows[len(rows)-1] = sheet.Paint(themes.Dim, rows[len(rows)-1])
		return rows
	}
	rows := d.buttons(sheet, w)
	if d.note != "" {
		for _, r := range cells.Wrap(d.note, w) {
			rows = append(rows, sheet.Paint(themes.Warn, r))
		}
	}
	return rows
}

// sure asks about "always", to the letter: what it allows, then the keys.
func (d *Approve) sure(w int) []string {
	label := "Always allow this tool in this session?"
	for _, o := range d.State.Options {
		if o.Choice == agent.ChoiceAlways {
			label = o.Label.String()
		}
	}
	return append(cells.Wrap("? "+label, w), keys.Hint("confirms, others go back", keys.Always, keys.Confirm))
}

func (d *Approve) writing(sheet *style.Sheet, w int) []string {
	d.edit.SetSheet(sheet)
	hint, label := clean.Trusted("why not; the model reads it"), keys.Hint("refuses with this reason", keys.Send)+" · "+keys.Hint("goes back", keys.Close)
	if d.mode == editing {
		label = keys.Hint("takes this, the model is told", keys.Send) + " · " + keys.Hint("new line", keys.NewLine) + " · " + keys.Hint("goes back", keys.Close)
	}
	if d.note != "" {
		label = d.note
	}
	rows := d.edit.View(min(d.edit.Rows(), max(d.h/3, 1)), true, hint)
	return append(rows, sheet.Paint(themes.Dim, cells.Clip(label, w)))
}

// buttons draws the answers in as many rows as they need.
func (d *Approve) buttons(sheet *style.Sheet, w int) []string {
	names := map[act]struct {
		key  keys.Binding
		does string
	}{
		allow: {keys.Allow, "allow"}, always: {keys.Always, "always"}, refuse: {keys.Refuse, "refuse"},
		tell: {keys.Tell, "tell why"}, edit: {keys.Edit, "edit"}, whole: {keys.Whole, "all of it"},
	}
	var rows []string
	row, width := "", 0
	for i, a := range d.acts() {
		key, does := keys.Name(names[a].key), names[a].does
		text := " " + key + " " + does + " "
		if width > 0 && width+len(text) > w {
			rows, row, width = append(rows, row), "", 0
		}
		switch {
		case i != d.choice:
			row += sheet.Paint(themes.Accent, " "+key) + " " + does + " "
		case a == allow && d.State.Dangerous:
			row += sheet.Paint(themes.Danger, text)
		default:
			row += sheet.Paint(themes.Select, text)
		}
		width += len(text)
	}
	return append(rows, row)
}
