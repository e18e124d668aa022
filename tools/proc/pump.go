package proc

import (
	"bytes"
	"crypto/rand"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// keepEnd is how much output is kept from each end, in bytes.
	keepEnd = 1 << 20

	// MaxOutput is how much a command may write before it is stopped, in
	// bytes: enough for the log of a large build, little for a runaway.
	MaxOutput = 64 << 20

	// maxLive is how much is shown at once while a command runs, in bytes.
	maxLive = 4 << 10

	readSize = 64 << 10
)

// Output is what a command wrote to its standard output and error, in order.
// When Lost bytes between Head and Tail were not kept, they held LostLines line
// breaks.
type Output struct {
	Head, Tail      []byte
	Lost, LostLines int64
}

// Size is the number of bytes written.
func (o Output) Size() int64 { return int64(len(o.Head)) + o.Lost + int64(len(o.Tail)) }

// pump reads a command's output from a pipe, always, so that no writer blocks.
//
// It is a pipe and not a file although background jobs keep it open: nothing
// here waits for its end, a file would grow without bound under such a job,
// and `echo x > /dev/stderr` would truncate it. To know that all that was
// written before the shell's end has been read, settle writes a random mark
// behind it.
type pump struct {
	rd   *os.File
	full chan struct{} // closed when MaxOutput was passed
	done chan struct{} // closed when reading has ended

	mu      sync.Mutex
	out     Output
	total   int64
	live    []byte        // not yet shown
	mark    []byte        // ends what is kept; nil until settle
	carry   []byte        // held back: may be the mark's first part
	settled chan struct{} // closed when the mark was read
	over    bool          // settled is closed
}

func newPump(rd *os.File) *pump {
	p := &pump{
		rd: rd, full: make(chan struct{}), done: make(chan struct{}),
		settled: make(chan struct{}),
	}
	go p.run()
	return p
}

func (p *pump) run() {
	defer close(p.done)
	buf := make([]byte, readSize)
	for {
		n, err := p.rd.Read(buf)
		if n > 0 {
			p.take(buf[:n])
		}
		if err != nil { // the end, or closed
			p.finish()
			return
		}
	}
}

// take keeps a piece of output, up to the mark.
func (p *pump) take(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	if p.mark == nil {
		p.keep(b)
		return
	}
	b = append(p.carry, b...)
	if i := bytes.Index(b, p.mark); i >= 0 {
		p.keep(b[:i])
		p.carry, p.over = nil, true
		close(p.settled)
		return
	}
	n := max(0, len(b)-len(p.mark)+1)
	p.keep(b[:n])
	p.carry = bytes.Clone(b[n:])
}

// finish is settling for a pipe that ended before the mark.
func (p *pump) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.keep(p.carry)
		p.over = true
		close(p.settled)
	}
}

// keep adds to the head, then to the tail, and lets go of the middle. The
// caller holds p.mu.
func (p *pump) keep(b []byte) {
	before := p.total
	p.total += int64(len(b))
	if before <= MaxOutput && p.total > MaxOutput {
		close(p.full)
	}
	p.live = append(p.live, b[max(0, len(b)-maxLive):]...)
	p.live = p.live[max(0, len(p.live)-maxLive):]

	n := min(keepEnd-len(p.out.Head), len(b))
	p.out.Head = append(p.out.Head, b[:n]...)
	p.out.Tail = append(p.out.Tail, b[n:]...)
	// Letting go in large steps keeps the copying linear.
	if len(p.out.Tail) > 2*keepEnd {
		p.trim()
	}
}

func (p *pump) trim() {
	n := len(p.out.Tail) - keepEnd
	if n <= 0 {
		return
	}
	p.out.Lost += int64(n)
	p.out.LostLines += int64(bytes.Count(p.out.Tail[:n], []byte{'\n'}))
	p.out.Tail = append(p.out.Tail[:0], p.out.Tail[n:]...)
}

// fresh returns the output since the last call, or its last part, begun and
// ended between characters.
func (p *pump) fresh() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	cut := len(p.live)
	for i := 1; i < utf8.UTFMax && i <= cut; i++ {
		if b := p.live[cut-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(p.live[cut-i:]) {
				cut -= i
			}
			break
		}
	}
	text := strings.ToValidUTF8(string(p.live[:cut]), "\uFFFD")
	p.live = append(p.live[:0], p.live[cut:]...)
	return text
}

// settle waits until everything written before it was called is kept, and
// closes the writing end.
func (p *pump) settle(wr *os.File) {
	mark := []byte(rand.Text())
	p.mu.Lock()
	p.mark = mark
	p.mu.Unlock()
	// An error means that nobody reads any more, and then finish has been
	// called.
	_, _ = wr.Write(mark)
	_ = wr.Close()
	<-p.settled
}

// output returns what was kept. It is called once, after settle.
func (p *pump) output() Output {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trim()
	return p.out
}

// ended tells whether nobody can write any more.
func (p *pump) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// close stops reading.
func (p *pump) close() {
	_ = p.rd.Close() // opened for reading only: nothing can be lost
	<-p.done
}
