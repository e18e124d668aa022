//go:build unix

package proc

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
)

// Whatever the sizes of the pieces, everything written before settle is kept
// and the mark is not.
func TestSettleCutsAtTheMark(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rd, wr, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.OpenFile("/dev/fd/"+itoa(wr.Fd()), os.O_WRONLY, 0)
		if err != nil {
			t.Skip("no second writer here:", err)
		}
		p := newPump(rd)
		var want []byte
		for range rng.IntN(20) {
			piece := bytes.Repeat([]byte{byte('a' + rng.IntN(26))}, rng.IntN(5000))
			want = append(want, piece...)
			if _, err := wr.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		p.settle(wr)
		if _, err := other.WriteString("late"); err != nil {
			t.Fatal(err)
		}
		if got := p.output(); !bytes.Equal(got.Head, want) {
			t.Fatalf("seed %d: kept %d bytes, want %d", seed, len(got.Head), len(want))
		}
		if p.ended() {
			t.Error("the pipe counts as ended while it has a writer")
		}
		_ = other.Close()
		p.close()
	}
}

func itoa(fd uintptr) string {
	if fd >= 10 {
		return itoa(fd/10) + string(rune('0'+fd%10))
	}
	return string(rune('0' + fd))
}

func TestKeepHoldsBothEnds(t *testing.T) {
	t.Parallel()
	p := &pump{full: make(chan struct{})}
	line := []byte("0123456789abcde\n") // 16 bytes, so that ends fall on lines
	const lines = 400_000
	for range lines {
		p.keep(line)
	}
	o := p.output()
	if len(o.Head) != keepEnd || len(o.Tail) != keepEnd {
		t.Errorf("kept %d and %d", len(o.Head), len(o.Tail))
	}
	if want := int64(lines*len(line) - 2*keepEnd); o.Lost != want || o.LostLines != want/16 {
		t.Errorf("lost %d bytes, %d lines; want %d, %d", o.Lost, o.LostLines, want, want/16)
	}
}

func BenchmarkKeep(b *testing.B) {
	p := &pump{full: make(chan struct{})}
	piece := bytes.Repeat([]byte("some output of a build\n"), readSize/23)
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		p.total = 0 // the limit is not what is measured
		p.keep(piece)
	}
}
