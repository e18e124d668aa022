package demo

// The tour's scratch project: a script with a spelling mistake, and its test.
const (
	greetPath = "mm-demo/greet.sh"
	testPath  = "mm-demo/test.sh"

	greetFile = `#!/bin/sh
# Greets someone, or the world.
name=${1:-world}
echo "Helo, $name!"
`
	testFile = `#!/bin/sh
# Fails when the greeting is not the one that is wanted.
got=$(sh mm-demo/greet.sh)
want="Hello, world!"
if [ "$got" != "$want" ]; then
	echo "FAIL: got \"$got\", want \"$want\""
	exit 1
fi
echo "PASS: $got"
`
	runTest = "sh " + testPath
)

// The edits of the tour. The first is typed from memory: its second line is
// not in the file. The second is copied from the file.
var (
	wrongEdit = edit{
		Old: "name=${1:-world}\necho 'Helo, ' $name",
		New: "name=${1:-world}\necho 'Hello, ' $name",
	}
	rightEdit = edit{
		Old: `echo "Helo, $name!"`,
		New: `echo "Hello, $name!"`,
	}
)

// tour shows a whole task: a failing test, its cause, a refused edit, its
// repair, and the test again. It goes on without a command that was rejected,
// and ends early where it cannot go on.
func (d *dialogue) tour() {
	for _, tool := range []string{"write_file", "read_file", "edit_file"} {
		if !d.can(tool) {
			return
		}
	}
	if !d.write(tourStartText, greetPath, greetFile) || !d.write(tourSecondText, testPath, testFile) {
		return
	}
	failing, taken := d.test(tourRunText)
	if !taken || !d.look(failing) || !d.change() {
		return
	}
	passing, taken := d.test(tourAgainText)
	if !taken {
		return
	}
	d.endWith(passing.closing(d) + d.in(tourEndText))
}

// write creates a file. One that an earlier tour left is read first, as the
// tool wants it.
func (d *dialogue) write(say phrase, path, content string) bool {
	s := step{say: d.in(say), tool: "write_file", args: writeArgs{path, content}}
	out, taken := d.do(s)
	if !taken {
		return false
	}
	if out.unread() {
		_, taken = d.do(step{say: d.in(tourExistsText, path), tool: "read_file", args: pathArgs{path}})
		if !taken {
			return false
		}
		s.say = d.in(tourOverText)
		if out, taken = d.do(s); !taken {
			return false
		}
	}
	switch {
	case out.rejected():
		d.end(tourNoWriteText)
		return false
	case out.unread():
		d.end(failedText, out.line())
		return false
	}
	return d.went(out)
}

// testRun is a run of the test: what came of it, or nil where there is no
// tool to run it.
type testRun struct{ out *outcome }

func (d *dialogue) test(say phrase) (r testRun, taken bool) {
	if !d.Declares("bash") {
		return testRun{}, true
	}
	out, taken := d.do(step{say: d.in(say), tool: "bash", args: bashArgs{runTest}})
	return testRun{&out}, taken
}

// opening says what the first run has shown.
func (r testRun) opening(d *dialogue) string {
	switch {
	case r.out == nil:
		return d.in(tourNoBashText)
	case !r.out.ok():
		return d.in(tourNotRunText)
	case r.out.exit() == "0":
		return d.in(tourRanText)
	}
	return d.in(tourFailedText, r.out.exit())
}

// closing says what the last run has shown.
func (r testRun) closing(d *dialogue) string {
	switch {
	case r.out == nil:
		return ""
	case !r.out.ok():
		return d.in(tourNotRunText) + "\n\n"
	case r.out.exit() != "0":
		return d.in(tourFailsText, r.out.exit()) + "\n\n"
	}
	return d.in(tourPassesText) + "\n\n"
}

// look reads the file that the test is about, after some reasoning.
func (d *dialogue) look(failing testRun) bool {
	out, taken := d.do(step{
		think: d.in(tourThinkText),
		say:   failing.opening(d) + " " + d.in(tourReadText),
		tool:  "read_file", args: pathArgs{greetPath},
	})
	return taken && d.went(out)
}

// change edits the file, wrongly first.
func (d *dialogue) change() bool {
	out, taken := d.do(step{
		say:  d.in(tourWrongText),
		tool: "edit_file", args: editArgs{greetPath, []edit{wrongEdit}},
	})
	if !taken {
		return false
	}
	say := tourRepairText
	if out.rejected() || out.refused() {
		say = tourRetryText
	}
	out, taken = d.do(step{
		say:  d.in(say),
		tool: "edit_file", args: editArgs{greetPath, []edit{rightEdit}},
	})
	if !taken {
		return false
	}
	if out.rejected() {
		d.end(tourNoEditText)
		return false
	}
	return d.went(out)
}
