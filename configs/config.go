// Package configs loads the configuration: layers from built-in defaults to
// flags, each value with its origin. It knows nothing of what the values do.
package configs

import "time"

// Config is the whole configuration. Field names in YAML are the koanf tags.
type Config struct {
	Provider         string `koanf:"provider"`
	BaseURL          string `koanf:"baseURL"`
	Model            string `koanf:"model"`
	APIKey           string `koanf:"apiKey"`
	Profile          string `koanf:"profile"`
	ContextWindow    int    `koanf:"contextWindow"`
	Prompt           string `koanf:"prompt"`
	SystemPrompt     string `koanf:"systemPrompt"`
	SystemPromptFile string `koanf:"systemPromptFile"`

	Sampling        Sampling `koanf:"sampling"`
	LoopTemperature float64  `koanf:"loopTemperature"`
	ThinkingBudget  int      `koanf:"thinkingBudget"`
	MaxTurns        int      `koanf:"maxTurns"`
	MaxOutput       int      `koanf:"maxOutput"`
	PreviewLines    int      `koanf:"previewLines"`
	Prewarm         bool     `koanf:"prewarm"`
	IdleSteps       bool     `koanf:"idleSteps"`

	Salvage      bool   `koanf:"salvage"`
	SalvageCalls int    `koanf:"salvageCalls"`
	Constrain    string `koanf:"constrain"`
	TextCalls    bool   `koanf:"textCalls"`
	CheckEdits   bool   `koanf:"checkEdits"`
	Grounding    bool   `koanf:"grounding"`
	CheckWork    bool   `koanf:"checkWork"`

	FirstTokenTimeout time.Duration `koanf:"firstTokenTimeout"`
	WatchdogTimeout   time.Duration `koanf:"watchdogTimeout"`
	BashTimeout       time.Duration `koanf:"bashTimeout"`

	BashTool         bool `koanf:"bashTool"`
	EditTools        bool `koanf:"editTools"`
	PlanTool         bool `koanf:"planTool"`
	SearchTools      bool `koanf:"searchTools"`
	FetchContentTool bool `koanf:"fetchContentTool"`

	Fetch       Fetch          `koanf:"fetch"`
	SkillsDir   string         `koanf:"skillsDir"`
	LSP         map[string]LSP `koanf:"lsp"`
	Context     Context        `koanf:"context"`
	Sessions    Sessions       `koanf:"sessions"`
	Permissions Permissions    `koanf:"permissions"`
	Sandbox     string         `koanf:"sandbox"`

	SandboxNetwork bool     `koanf:"sandboxNetwork"`
	SandboxWrite   []string `koanf:"sandboxWrite"`

	ACP   ACP    `koanf:"acp"`
	Theme string `koanf:"theme"`
	Mouse bool   `koanf:"mouse"`
}

// Sampling holds the generation parameters. A nil pointer is not sent.
type Sampling struct {
	Temperature       float64  `koanf:"temperature"`
	TopP              float64  `koanf:"top_p"`
	MaxTokens         int      `koanf:"max_tokens"`
	ParallelToolCalls bool     `koanf:"parallel_tool_calls"`
	TopK              *int     `koanf:"top_k"`
	MinP              *float64 `koanf:"min_p"`
	RepeatPenalty     *float64 `koanf:"repeat_penalty"`
	PresencePenalty   *float64 `koanf:"presence_penalty"`
	FrequencyPenalty  *float64 `koanf:"frequency_penalty"`
	Seed              *int     `koanf:"seed"`
}

// LSP is one language server, by the name of its language.
type LSP struct {
	Command    []string `yaml:"command,omitempty,flow"`
	Extensions []string `yaml:"extensions,omitempty,flow"`
}

// Context says when the history is masked and compacted; the first three
// figures are shares of the window.
type Context struct {
	Enabled          bool    `koanf:"enabled"`
	MaskAt           float64 `koanf:"maskAt"`
	MaskTo           float64 `koanf:"maskTo"`
	MaskAfterTurns   int     `koanf:"maskAfterTurns"`
	CompactAt        float64 `koanf:"compactAt"`
	KeepLastTurns    int     `koanf:"keepLastTurns"`
	SummaryMaxTokens int     `koanf:"summaryMaxTokens"`
	MaxMessages      int     `koanf:"maxMessages"`
}

// Sessions says whether and where conversations are kept. Dir is relative to
// the working directory.
type Sessions struct {
	Enabled bool   `koanf:"enabled"`
	Dir     string `koanf:"dir"`
}

// Permissions says what may run unasked.
type Permissions struct {
	Mode  string   `koanf:"mode"`
	Allow []string `koanf:"allow"`
	Ask   []string `koanf:"ask"`
	Deny  []string `koanf:"deny"`
	Rules []Rule   `koanf:"rules"`

	AutoApproveReads bool `koanf:"autoApproveReads"`
}

// Rule is the long form of a rule: one of Allow, Ask and Deny with one tool and
// its pattern, and examples of what it must match and must not.
type Rule struct {
	Allow    map[string]string `yaml:"allow,omitempty,flow"`
	Ask      map[string]string `yaml:"ask,omitempty,flow"`
	Deny     map[string]string `yaml:"deny,omitempty,flow"`
	Match    []string          `yaml:"match,omitempty,flow"`
	NotMatch []string          `yaml:"notMatch,omitempty,flow"`

	Where   string `yaml:"-"` // file and line
	Project bool   `yaml:"-"` // the project states it
}

// Fetch says which hosts are read unasked, subdomains included.
type Fetch struct {
	AllowHosts []string `koanf:"allowHosts"`
}

// ACP is for editors.
type ACP struct {
	// ClientFiles reads and writes files through the editor.
	ClientFiles bool `koanf:"clientFiles"`

	// Extended offers what the reference leaves out.
	Extended bool `koanf:"extended"`
}
