package agent

import "fmt"

// Repairs are the switches of repairs that need more calls of the model. The
// zero value has them all on.
type Repairs struct {
	NoSalvage    bool // a cut write_file is handed back, not finished
	SalvageCalls int  // calls of the model to finish one file; 0 means 6
	NoConstrain  bool // arguments and calls are never produced by the server's grammar
	NoCheckWork  bool // a request that nothing was done for is not asked about
}

// defaultSalvageCalls bounds the calls that finish one file.
const defaultSalvageCalls = 6

// RepairKind says what a repair was for.
type RepairKind string

const (
	repairedCut       RepairKind = "cut call"
	repairedArgs      RepairKind = "bad arguments"
	repairedText      RepairKind = "call as text"
	repairedEmpty     RepairKind = "empty answer"
	repairedThought   RepairKind = "reasoning alone"
	repairedAnnounced RepairKind = "announced step"
	repairedUndone    RepairKind = "request not done"
	repairedBroken    RepairKind = "broken file"
	repairedRunaway   RepairKind = "runaway"
	repairedRepeat    RepairKind = "repeated call"
)

// repaired tells the user of a repair.
func (c *Core) repaired(kind RepairKind, format string, args ...any) {
	c.emit(Notice{Level: Repair, Mended: kind, Text: fmt.Sprintf(format, args...)})
}

// mending is what was tried in a turn to get along with its model.
type mending struct {
	nudged  []RepairKind // answers that were no use were answered with a note
	forced  int          // calls that the server was made to write
	doubted bool         // the model was asked about an answer that may be made up
	noted   bool         // a call that was not understood, too

	unfinished bool // the rest of a file went wrong: it is not asked for again

	shown   bool // something of an answer was on the screen
	badArgs int  // answers in a row with a call whose arguments fit no tool
	calmed  bool // reasoning that ran away was asked to be left out

	notes map[CallID]string // what the result of a call begins with
}
