package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"mm/agent"
)

// ReportVersion is the format of the reports written.
const ReportVersion = 1

// Report is what an evaluation found.
type Report struct {
	Version int       `json:"version"`
	Date    time.Time `json:"date"`
	Program string    `json:"program,omitempty"` // version of mm
	Machine string    `json:"machine"`           // system and processors

	Provider string `json:"provider"`
	Server   string `json:"server"` // address, without credentials
	Model    string `json:"model"`
	Window   int    `json:"window"` // tokens; 0 when unknown

	Config  map[string]string `json:"config,omitempty"`
	Variant Variant           `json:"variant,omitzero"`

	Repeat  int      `json:"repeat"`
	Results []Result `json:"results"` // in the order of the runs
	Total   Sum      `json:"total"`
}

// Result is one run of one task.
type Result struct {
	Task       string     `json:"task"`
	Kind       Kind       `json:"kind"`
	Difficulty Difficulty `json:"difficulty"`
	Language   string     `json:"language"`
	Run        int        `json:"run"` // from 1

	Solved   bool     `json:"solved"`
	Skipped  string   `json:"skipped,omitempty"`  // why it was not run
	Failures []string `json:"failures,omitempty"` // why it is not solved
	Left     []string `json:"left,omitempty"`     // new files that nobody asked for
	Kept     string   `json:"kept,omitempty"`     // folder that was left to look at

	Stop  string `json:"stop,omitempty"`  // why the last turn ended; "time", "decided"
	Error string `json:"error,omitempty"` // what the user was told

	Calls   int            `json:"calls"`   // of the model
	Tools   int            `json:"tools"`   // calls of tools
	Invalid int            `json:"invalid"` // of them never reached a tool
	Refused int            `json:"refused"` // of them not permitted
	Loops   int            `json:"loops"`   // warnings of the loop detector
	Fuzzy   int            `json:"fuzzy"`   // edits that matched ignoring white space
	Repairs map[string]int `json:"repairs,omitempty"`

	Read    int     `json:"read"`    // prompt tokens, cached ones included
	Cached  int     `json:"cached"`  // of them not read again
	Written int     `json:"written"` // tokens
	Seconds float64 `json:"seconds"` // wall time of the turns, without the check
}

// Sum adds up results. Skipped ones count in Skipped alone.
type Sum struct {
	Runs    int            `json:"runs"`
	Solved  int            `json:"solved"`
	Skipped int            `json:"skipped"`
	Calls   int            `json:"calls"`
	Tools   int            `json:"tools"`
	Invalid int            `json:"invalid"`
	Refused int            `json:"refused"`
	Loops   int            `json:"loops"`
	Fuzzy   int            `json:"fuzzy"`
	Repairs map[string]int `json:"repairs,omitempty"`
	Read    int            `json:"read"`
	Cached  int            `json:"cached"`
	Written int            `json:"written"`
	Seconds float64        `json:"seconds"`
}

// CacheRate is the share of the prompt tokens that the server did not read
// again, from 0 to 1, and false where it does not tell.
func (s Sum) CacheRate() (float64, bool) {
	if s.Read == 0 {
		return 0, false
	}
	return float64(s.Cached) / float64(s.Read), true
}

// Sum adds up the results that keep says, or all when it is nil.
func (r Report) Sum(keep func(Result) bool) Sum {
	s := Sum{Repairs: map[string]int{}}
	for _, res := range r.Results {
		if keep == nil || keep(res) {
			s.add(res)
		}
	}
	return s
}

func (s *Sum) add(res Result) {
	if res.Skipped != "" {
		s.Skipped++
		return
	}
	s.Runs++
	if res.Solved {
		s.Solved++
	}
	s.Calls += res.Calls
	s.Tools += res.Tools
	s.Invalid += res.Invalid
	s.Refused += res.Refused
	s.Loops += res.Loops
	s.Fuzzy += res.Fuzzy
	for kind, n := range res.Repairs {
		s.Repairs[kind] += n
	}
	s.Read += res.Read
	s.Cached += res.Cached
	s.Written += res.Written
	s.Seconds += res.Seconds
}

// served notes which model answered.
func (r *Report) served(m agent.ModelInfo) {
	if m.ID == "" && m.Provider == "" {
		return
	}
	r.Provider, r.Model, r.Window = m.Provider, m.ID, m.ContextWindow
	r.Server = ""
	if u, err := url.Parse(m.BaseURL); err == nil {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		r.Server = u.String()
	}
}

// repairsText lists repairs by kind, the most frequent first.
func repairsText(repairs map[string]int) string {
	kinds := slices.SortedFunc(maps.Keys(repairs), func(a, b string) int {
		if repairs[a] != repairs[b] {
			return repairs[b] - repairs[a]
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		parts[i] = fmt.Sprintf("%s %d", kind, repairs[kind])
	}
	return strings.Join(parts, ", ")
}

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// Decode reads a report.
func Decode(data []byte) (Report, error) {
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return Report{}, err
	}
	switch {
	case r.Version == 0 || r.Version <= ReportVersion && r.Machine == "":
		return Report{}, errors.New("this is not a report of an evaluation")
	case r.Version > ReportVersion:
		return Report{}, fmt.Errorf("its format is %d and this program reads up to %d", r.Version, ReportVersion)
	}
	return r, nil
}
