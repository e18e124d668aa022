package transcript

import (
	"mm/ui/markdown"
	"mm/ui/style"
)

// job is a block too heavy to draw between two frames. Until it is done the
// block is shown without colours.
type job struct {
	entry *answer
	block int
	epoch int
	src   markdown.Block
	width int
	sheet *style.Sheet
}

// Drawn is the result of a job, for Accept.
type Drawn struct {
	job  job
	rows []string
}

// Jobs returns the drawings to make outside of the screen's goroutine. Each
// function may run anywhere; its result goes to Accept.
func (l *List) Jobs() []func() Drawn {
	if len(l.c.jobs) == 0 {
		return nil
	}
	var out []func() Drawn
	for _, j := range l.c.jobs {
		out = append(out, func() Drawn {
			return Drawn{j, markdown.NewRenderer(j.sheet).Rows(j.src, j.width)}
		})
	}
	l.c.jobs = nil
	return out
}

// Accept takes a drawing over, unless the width or theme changed meanwhile.
func (l *List) Accept(d Drawn) {
	j := d.job
	if j.epoch != l.c.epoch || j.block >= len(j.entry.blocks) || j.entry.stream.Settled[j.block] != j.src {
		return
	}
	j.entry.blocks[j.block] = drawing{j.epoch, l.c.fit(j.entry.place(&l.c, j.block, j.src.Gap, d.rows))}
}
