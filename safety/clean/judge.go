package clean

import (
	"slices"
	"unicode"
)

const (
	lineBreak    = '⏎'
	dottedCircle = '◌' // carries a mark that has no letter

	zwnj = 0x200C
	zwj  = 0x200D
)

// verdict is what becomes of a rune.
type verdict int

const (
	keep verdict = iota
	drop
	newline
	replace // by U+FFFD
	carry   // a mark without a letter
)

// maxJoins is the number of joiners in one emoji: the longest in use, a kiss
// of two people with skin tones, has three.
const maxJoins = 4

// judge decides rune by rune, from what was kept before. It looks behind and
// never ahead, so that a text may come in pieces.
type judge struct {
	prev  rune // the last rune kept, 0 at the start of a line and after a tab
	marks int  // marks since the last letter
	joins int  // joiners since the emoji began
}

// joined lists the scripts whose spelling needs the zero-width joiners.
var joined = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
	unicode.Tibetan, unicode.Balinese, unicode.Javanese,
}

// after records a rune that was kept.
func (j *judge) after(r rune) {
	if j.prev != zwj && r != zwj && !stacks(r) && !skinTone(r) {
		j.joins = 0
	}
	if !stacks(r) && r != zwj && r != zwnj {
		j.marks = 0
	}
	j.prev = r
	if r == '\t' || r == '\n' {
		j.prev = 0
	}
}

// verdict judges r and records it where it is kept.
func (j *judge) verdict(r rune) verdict {
	v := j.decide(r)
	switch v {
	case keep:
		j.after(r)
	case newline:
		j.after('\n')
	case replace:
		j.after(unicode.ReplacementChar)
	case carry:
		j.after(dottedCircle)
		j.marks = 1
		j.after(r)
	}
	return v
}

func (j *judge) decide(r rune) verdict {
	switch {
	case r >= ' ' && r <= '~', r == '\t':
		return keep
	case breaksLine(r):
		return newline
	case unicode.Is(unicode.Cc, r):
		return drop
	case r == zwj, r == zwnj:
		return j.joiner(r)
	case unicode.Is(unicode.Variation_Selector, r):
		return j.selector(r)
	case ignorable(r):
		return j.format(r)
	case unicode.Is(unicode.Noncharacter_Code_Point, r):
		return replace
	case stacks(r):
		return j.mark(r)
	}
	return keep
}

// joiner keeps a joiner that can show: in an emoji, or in a script that is
// spelled with them.
func (j *judge) joiner(r rune) verdict {
	switch {
	case unicode.In(j.prev, joined...):
		return keep
	case r == zwj && pictograph(j.prev) && j.joins < maxJoins:
		j.joins++
		return keep
	}
	return drop
}

// selector keeps the choice between text and emoji after a symbol. All other
// selectors, and those after letters, only hide data.
func (j *judge) selector(r rune) verdict {
	if r != 0xFE0E && r != 0xFE0F {
		return drop
	}
	p := j.prev
	if p > ' ' && (p == 'ℹ' || pictograph(p) && p != 0xFE0F || unicode.In(p, unicode.S, unicode.P, unicode.Nd)) {
		return keep
	}
	return drop
}

// format drops a format character, but for the Arabic and Indic signs that are
// drawn before a number.
func (j *judge) format(r rune) verdict {
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, j.prev) {
		return keep
	}
	return drop
}

// mark keeps MaxMarks of the marks on a letter.
func (j *judge) mark(r rune) verdict {
	switch {
	case jamo(r) && !continues(r, j.prev):
		j.marks = 0
		return keep
	case j.prev == 0:
		return carry
	case j.marks >= MaxMarks:
		return drop
	}
	j.marks++
	return keep
}

// stacks reports whether r is drawn into the cell of the rune before it.
func stacks(r rune) bool { return r > 0x2FF && (unicode.Is(unicode.M, r) || jamo(r)) }

// jamo reports whether r is a Hangul letter that terminals compose with its
// neighbours without limit.
func jamo(r rune) bool {
	return leading(r) || r >= 0x1160 && r <= 0x11FF || r >= 0xD7B0 && r <= 0xD7FB
}

// leading reports whether r is a Hangul letter that begins a syllable.
func leading(r rune) bool { return r >= 0x1100 && r <= 0x115F || r >= 0xA960 && r <= 0xA97C }

// continues reports whether the Hangul letter r belongs to the syllable that
// prev is part of.
func continues(r, prev rune) bool {
	if leading(r) {
		return leading(prev)
	}
	return unicode.Is(unicode.Hangul, prev)
}

// ignorable reports whether r has no picture of its own: bidirectional
// controls, tags, zero-width runes, fillers that look blank.
func ignorable(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// skinTone reports whether r colours the emoji before it.
func skinTone(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }

// pictograph reports whether an emoji may end in r.
func pictograph(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x1F000 && r <= 0x1FAFF || r == 0xFE0F
}

// lookalike lists the scripts whose letters pass for Latin ones.
var lookalike = []*unicode.RangeTable{
	unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee,
	unicode.Coptic, unicode.Lisu,
}

// mixed reports whether a word has Latin letters beside letters that pass for
// them.
func mixed(word []rune) bool {
	latin := slices.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
	return latin && slices.ContainsFunc(word, func(r rune) bool { return unicode.In(r, lookalike...) })
}
