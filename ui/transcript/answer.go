package transcript

import (
	"strings"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/markdown"
	"mm/ui/state"
)

// answer is text of the model.
type answer struct {
	item  *state.Answer
	epoch int // of the item
	seen  int // chunks taken over

	stream markdown.Stream
	blocks []drawing // one for each settled block
	tail   []string
	tailIn int // epoch of tail
}

func (a *answer) sync(*canvas) {
	if a.epoch != a.item.Epoch {
		*a = answer{item: a.item, epoch: a.item.Epoch}
	}
	for _, t := range a.item.Chunks[a.seen:] {
		a.stream.Write(t.String())
	}
	a.seen = len(a.item.Chunks)
	if a.item.Ended {
		a.stream.End()
	}
	for len(a.blocks) < len(a.stream.Settled) {
		a.blocks = append(a.blocks, drawing{})
	}
	a.tail = nil
}

func (a *answer) count() int {
	if a.item.Ended {
		return len(a.blocks)
	}
	return len(a.blocks) + 1
}

func (a *answer) rows(i int, c *canvas) []string {
	if i >= len(a.blocks) {
		return a.tailRows(c)
	}
	b := a.stream.Settled[i]
	return a.blocks[i].get(c, func() []string {
		if len(b.Src) > markdown.HeavySource {
			c.jobs = append(c.jobs, job{entry: a, block: i, epoch: c.epoch, src: b, width: c.w - 2, sheet: c.sheet})
			return a.place(c, i, b.Gap, c.md.Plain(b, c.w-2))
		}
		return a.place(c, i, b.Gap, c.md.Rows(b, c.w-2))
	})
}

// place puts the sign before the first row of an answer and a gap above.
func (a *answer) place(c *canvas, i int, gap bool, rows []string) []string {
	sign := " "
	if i == 0 {
		sign, gap = c.paint(themes.Accent, "◆"), true
	}
	rows = signed(sign, rows)
	if gap {
		rows = append([]string{""}, rows...)
	}
	return rows
}

// tailRows draws what is being written. It is kept until the next piece.
func (a *answer) tailRows(c *canvas) []string {
	if a.tail != nil && a.tailIn == c.epoch {
		return a.tail
	}
	rows, gap := a.stream.TailRows(c.md, c.w-2, c.now)
	own := make([]string, len(rows), len(rows)+1)
	copy(own, rows)
	a.tail, a.tailIn = []string{}, c.epoch
	if len(rows) > 0 {
		a.tail = c.fit(a.place(c, len(a.blocks), gap, own))
	}
	return a.tail
}

func (a *answer) live() bool { return !a.item.Ended }

// stale lets a tail catch up whose drawing was held back.
func (a *answer) stale() { a.tail = nil }

func (a *answer) folded(*canvas) bool { return false }

func (a *answer) toggle() {}

func (a *answer) whole() string { return clean.Concat(a.item.Chunks...).String() }

func (a *answer) source(i int) string {
	if i >= len(a.stream.Settled) {
		return a.whole()
	}
	b := a.stream.Settled[i]
	if b.Kind == markdown.Fence {
		return b.Src
	}
	return b.Mark + b.Src
}

// reasoning is what the model thinks. Its text is wrapped, not drawn as
// Markdown.
type reasoning struct {
	item *state.Reasoning
	open bool // other than all are
	d    drawing
	flow flow
	seen int
}

// foldedThought is the number of rows shown while the model thinks.
const foldedThought = 4

func (r *reasoning) sync(*canvas) {
	for _, t := range r.item.Chunks[r.seen:] {
		r.flow.write(t.String())
	}
	r.seen = len(r.item.Chunks)
	r.d.forget()
}

func (r *reasoning) count() int { return 1 }

func (r *reasoning) rows(_ int, c *canvas) []string {
	return r.d.get(c, func() []string {
		rows := []string{"", "💭 " + c.paint(themes.Reasoning, r.title(c))}
		switch {
		case !r.folded(c):
			rows = append(rows, r.body(c, r.flow.all(c.w-3, c.epoch))...)
		case !r.item.Ended:
			rows = append(rows, r.body(c, r.flow.last(foldedThought, c.w-3))...)
		}
		return rows
	})
}

func (r *reasoning) title(c *canvas) string {
	if !r.item.Ended {
		return "thinking · " + Duration(c.now.Sub(r.item.Started))
	}
	t := "thought for " + Duration(r.item.Elapsed)
	if r.item.Tokens > 0 {
		t += " · " + Count(r.item.Tokens) + " tokens"
	}
	return t
}

func (r *reasoning) body(c *canvas, rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = "   " + c.paint(themes.Reasoning, row)
	}
	return out
}

func (r *reasoning) live() bool { return !r.item.Ended }
func (r *reasoning) stale()     { r.d.forget() }

func (r *reasoning) folded(c *canvas) bool { return r.open == c.openReasoning }

func (r *reasoning) toggle() {
	r.open = !r.open
	r.d.forget()
}

func (r *reasoning) source(int) string { return clean.Concat(r.item.Chunks...).String() }

// flow is plain text that grows. Finished lines are wrapped once.
type flow struct {
	text    strings.Builder
	done    int // bytes of finished lines in frozen
	frozen  []string
	w, kept int // width and epoch of frozen
}

func (f *flow) write(s string) { f.text.WriteString(s) }

// all returns all rows at a width.
func (f *flow) all(w, epoch int) []string {
	if f.w != w || f.kept != epoch {
		f.w, f.kept, f.done, f.frozen = w, epoch, 0, nil
	}
	s := f.text.String()
	if end := strings.LastIndexByte(s, '\n') + 1; end > f.done {
		f.frozen = append(f.frozen, cells.Wrap(s[f.done:end-1], w)...)
		f.done = end
	}
	if f.done == len(s) {
		return f.frozen
	}
	return append(f.frozen[:len(f.frozen):len(f.frozen)], cells.Wrap(s[f.done:], w)...)
}

// last returns the last n rows, wrapping no more than it must.
func (f *flow) last(n, w int) []string {
	s := strings.TrimRight(f.text.String(), "\n")
	if most := n * max(w, 1) * 4; len(s) > most {
		s = s[len(s)-most:]
		if i := strings.IndexAny(s, " \n"); i >= 0 {
			s = s[i+1:]
		}
		s = strings.ToValidUTF8(s, "")
	}
	if s == "" {
		return nil
	}
	rows := cells.Wrap(s, w)
	return rows[max(len(rows)-n, 0):]
}
