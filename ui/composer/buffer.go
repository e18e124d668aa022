package composer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// chipBase is the first of the private-use runes that stand for folded
// pastes. Text from outside cannot hold them: insert replaces them.
const chipBase = 0x100000

// maxUndo is the number of steps that can be undone.
const maxUndo = 100

// buffer is editable text with a cursor between runes. It knows nothing of
// keys or cells.
type buffer struct {
	text    []rune
	cur     int
	chips   []string // never renumbered: text, killed and undo hold their runes
	killed  []rune
	version int

	undo   []snapshot
	typing bool // the last change inserted text and can be undone with this one
}

type snapshot struct {
	text []rune
	cur  int
}

// isChip returns the number of the chip that r stands for.
func (b *buffer) isChip(r rune) (int, bool) {
	i := int(r - chipBase)
	return i, i >= 0 && i < len(b.chips)
}

// String returns the text with all chips unfolded.
func (b *buffer) String() string {
	var s strings.Builder
	for _, r := range b.text {
		if i, ok := b.isChip(r); ok {
			s.WriteString(b.chips[i])
			continue
		}
		s.WriteRune(r)
	}
	return s.String()
}

func (b *buffer) empty() bool { return len(b.text) == 0 }

// save remembers the text for undo.
func (b *buffer) save(typing bool) {
	if typing && b.typing {
		return
	}
	b.typing = typing
	b.undo = append(b.undo, snapshot{append([]rune(nil), b.text...), b.cur})
	if len(b.undo) > maxUndo {
		b.undo = b.undo[1:]
	}
}

// revert takes the last change back.
func (b *buffer) revert() {
	if len(b.undo) == 0 {
		return
	}
	last := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	b.text, b.cur, b.typing = last.text, last.cur, false
	b.version++
}

// set replaces the whole text.
func (b *buffer) set(s string) {
	b.save(false)
	b.text, b.cur = nil, 0
	b.raw(s)
}

// restore replaces the whole text by some that was in the buffer before.
func (b *buffer) restore(text []rune) {
	b.save(false)
	b.text, b.cur = nil, 0
	b.put(slices.Clone(text))
}

// reset empties the buffer. What was deleted can still be inserted.
func (b *buffer) reset() {
	kept := slices.Clone(b.killed)
	chips := make([]string, len(b.chips))
	for _, r := range kept {
		if i, ok := b.isChip(r); ok {
			chips[i] = b.chips[i]
		}
	}
	*b = buffer{version: b.version + 1, killed: kept, chips: chips}
}

// insert puts text at the cursor.
func (b *buffer) insert(s string) {
	b.save(s != "\n" && s != " ")
	b.raw(s)
}

func (b *buffer) raw(s string) {
	rs := []rune(s)
	for i, r := range rs {
		if r >= chipBase {
			rs[i] = unicode.ReplacementChar
		}
	}
	b.put(rs)
}

func (b *buffer) put(rs []rune) {
	b.text = append(b.text[:b.cur], append(rs, b.text[b.cur:]...)...)
	b.cur += len(rs)
	b.version++
}

// insertChip puts a folded paste at the cursor.
func (b *buffer) insertChip(s string) {
	b.save(false)
	b.chips = append(b.chips, s)
	b.put([]rune{chipBase + rune(len(b.chips)-1)})
}

// unfold replaces the chip next to the cursor, or else the last one, by its
// text.
func (b *buffer) unfold() bool {
	at := -1
	for i, r := range b.text {
		if _, ok := b.isChip(r); ok && (at < 0 || i <= b.cur) {
			at = i
		}
	}
	if at < 0 {
		return false
	}
	i, _ := b.isChip(b.text[at])
	b.save(false)
	b.text = append(b.text[:at], b.text[at+1:]...)
	b.cur = at
	b.raw(b.chips[i])
	return true
}

// remove deletes a range and leaves the cursor there.
func (b *buffer) remove(from, to int, kill bool) {
	if from >= to {
		return
	}
	b.save(false)
	if kill {
		b.killed = append([]rune(nil), b.text[from:to]...)
	}
	b.text = append(b.text[:from], b.text[to:]...)
	b.cur = from
	b.version++
}

func (b *buffer) yank() {
	if len(b.killed) > 0 {
		b.save(false)
		b.put(append([]rune(nil), b.killed...))
	}
}

// before returns the start of the grapheme cluster before i.
func (b *buffer) before(i int) int {
	start := i - 1
	for start > 0 && b.text[start-1] != '\n' && i-start < maxCluster {
		start--
	}
	if start < 0 {
		return 0
	}
	at, last := start, start
	g := uniseg.NewGraphemes(string(b.text[start:i]))
	for g.Next() {
		last = at
		at += len(g.Runes())
	}
	return last
}

// after returns the end of the grapheme cluster at i.
func (b *buffer) after(i int) int {
	if i >= len(b.text) {
		return len(b.text)
	}
	end := min(i+maxCluster, len(b.text))
	g := uniseg.NewGraphemes(string(b.text[i:end]))
	g.Next()
	return i + len(g.Runes())
}

// maxCluster bounds the search for grapheme clusters, in runes.
const maxCluster = 32

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func (b *buffer) wordStart() int {
	i := b.cur
	for i > 0 && !wordRune(b.text[i-1]) {
		i--
	}
	for i > 0 && wordRune(b.text[i-1]) {
		i--
	}
	return i
}

func (b *buffer) wordEnd() int {
	i := b.cur
	for i < len(b.text) && !wordRune(b.text[i]) {
		i++
	}
	for i < len(b.text) && wordRune(b.text[i]) {
		i++
	}
	return i
}

// blankStart is the start of the run of non-blanks before the cursor.
func (b *buffer) blankStart() int {
	i := b.cur
	for i > 0 && unicode.IsSpace(b.text[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(b.text[i-1]) {
		i--
	}
	return i
}

func (b *buffer) lineStart() int {
	i := b.cur
	for i > 0 && b.text[i-1] != '\n' {
		i--
	}
	return i
}

func (b *buffer) lineEnd() int {
	i := b.cur
	for i < len(b.text) && b.text[i] != '\n' {
		i++
	}
	return i
}
