package openai

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mm/llm"
)

// describeTimeout bounds what is asked beyond the names of the models.
const describeTimeout = 2 * time.Second

// Names lists the models that the server offers, loaded ones first where it
// tells. It sends one request. The error is a *llm.Error, or ctx's.
func (c *Client) Names(ctx context.Context) ([]string, error) {
	list, err := c.list(ctx)
	var names []string
	for _, m := range list {
		names = append(names, m.ID)
	}
	return names, err
}

// Models describes the models that the server offers, loaded ones first. What
// the server does not tell within two seconds is left out; the names are there
// all the same. The error is a *llm.Error, or ctx's.
func (c *Client) Models(ctx context.Context) ([]llm.ListedModel, error) {
	list, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	switch c.opts.Provider {
	case Ollama:
		c.describeOllama(ctx, list)
	case LMStudio:
		told := c.studioModels(ctx)
		if len(told) == 0 {
			told = c.studioModelsOld(ctx)
		}
		fillIn(list, told)
	case DMR:
		fillIn(list, c.dockerModels(ctx))
	}
	loadedFirst(list)
	return list, nil
}

// fillIn adds what another endpoint tells of the models of a list.
func fillIn(list, told []llm.ListedModel) {
	for i, m := range list {
		if t, ok := find(told, m.ID); ok {
			list[i] = t
		}
	}
}

func find(list []llm.ListedModel, id string) (llm.ListedModel, bool) {
	i := slices.IndexFunc(list, func(m llm.ListedModel) bool { return m.ID == id })
	if i < 0 {
		return llm.ListedModel{}, false
	}
	return list[i], true
}

func loadedFirst(list []llm.ListedModel) {
	slices.SortStableFunc(list, func(a, b llm.ListedModel) int {
		switch {
		case a.Loaded == b.Loaded:
			return 0
		case a.Loaded:
			return -1
		}
		return 1
	})
}

// list reads /v1/models.
func (c *Client) list(ctx context.Context) ([]llm.ListedModel, error) {
	if c.err != nil {
		return nil, c.err
	}
	var answer modelList
	if err := c.get(ctx, "models", &answer); err != nil {
		return nil, err
	}
	var list []llm.ListedModel
	for _, m := range answer.Data {
		if m.ID != "" {
			list = append(list, m.listed())
		}
	}
	loadedFirst(list)
	return list, nil
}

// modelList is the answer of /v1/models.
type modelList struct {
	Object string        `json:"object"`
	Data   []listedModel `json:"data"` // null at an Ollama without models
}

type listedModel struct {
	ID      string   `json:"id"`
	Aliases []string `json:"aliases"`
	Meta    struct { // of llama-server, where the model is loaded
		Window     int    `json:"n_ctx"` // per slot
		Max        int    `json:"n_ctx_train"`
		Parameters int64  `json:"n_params"`
		Bytes      int64  `json:"size"`
		Type       string `json:"ftype"` // "Q4_K - Medium"
	} `json:"meta"`
	MaxModelLen int `json:"max_model_len"`  // vLLM
	Trained     int `json:"context_length"` // llama-server as a router, of the model's file
	Status      struct {
		Value string `json:"value"` // llama-server as a router: loaded, unloaded
	} `json:"status"`
}

func (m listedModel) listed() llm.ListedModel {
	l := llm.ListedModel{
		ID: m.ID, Bytes: m.Meta.Bytes, Quantisation: fileType(m.Meta.Type),
		ContextWindow: max(m.MaxModelLen, m.Meta.Window),
		Loaded:        m.Status.Value == "loaded" || m.Meta.Window > 0,
	}
	if m.Meta.Parameters > 0 {
		l.Parameters = parameters(float64(m.Meta.Parameters))
	}
	if trained := max(m.Meta.Max, m.Trained); l.ContextWindow == 0 && trained > 0 {
		l.ContextWindow, l.WindowIsMaximum = trained, true
	}
	return l
}

// ollamaModel is an entry of Ollama's /api/tags and /api/ps.
type ollamaModel struct {
	Name    string `json:"name"`
	Model   string `json:"model"`
	Bytes   int64  `json:"size"`           // of /api/tags the file's
	Window  int    `json:"context_length"` // of /api/ps
	Details struct {
		Parameters   string `json:"parameter_size"`
		Quantisation string `json:"quantization_level"`
	} `json:"details"`
}

func (m ollamaModel) is(id string) bool {
	return sameOllamaModel(m.Name, id) || sameOllamaModel(m.Model, id)
}

func (c *Client) ollamaModels(ctx context.Context, path string) []ollamaModel {
	var answer struct {
		Models []ollamaModel `json:"models"`
	}
	if c.get(ctx, path, &answer) != nil {
		return nil
	}
	return answer.Models
}

// describeOllama adds what the files are, and which of them are loaded.
func (c *Client) describeOllama(ctx context.Context, list []llm.ListedModel) {
	files, running := c.ollamaModels(ctx, "/api/tags"), c.ollamaModels(ctx, "/api/ps")
	for i := range list {
		m := &list[i]
		for _, f := range files {
			if f.is(m.ID) {
				m.Bytes, m.Parameters, m.Quantisation = f.Bytes, toldParameters(f.Details.Parameters), f.Details.Quantisation
			}
		}
		for _, r := range running {
			if r.is(m.ID) {
				m.Loaded, m.ContextWindow = true, r.Window
			}
		}
	}
}

// studioModels lists LM Studio's models and their loaded instances, under the
// names of both.
func (c *Client) studioModels(ctx context.Context) []llm.ListedModel {
	var answer struct {
		Models []struct {
			Key          string `json:"key"`
			Parameters   string `json:"params_string"`
			Bytes        int64  `json:"size_bytes"`
			Quantisation struct {
				Name string `json:"name"`
			} `json:"quantization"`
			Max       int `json:"max_context_length"`
			Instances []struct {
				ID     string `json:"id"`
				Config struct {
					Window int `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	if c.get(ctx, "/api/v1/models", &answer) != nil {
		return nil
	}
	var list []llm.ListedModel
	for _, m := range answer.Models {
		file := llm.ListedModel{
			ID: m.Key, Parameters: toldParameters(m.Parameters), Bytes: m.Bytes, Quantisation: m.Quantisation.Name,
			ContextWindow: m.Max, WindowIsMaximum: m.Max > 0,
		}
		for i, instance := range m.Instances {
			loaded := served(file, instance.Config.Window)
			if i == 0 {
				file = loaded
			}
			loaded.ID = instance.ID
			list = append(list, loaded)
		}
		list = append(list, file)
	}
	return list
}

// served is a model that is loaded with a window, in tokens, or 0 where that is
// not told.
func served(m llm.ListedModel, window int) llm.ListedModel {
	m.Loaded = true
	if window > 0 {
		m.ContextWindow, m.WindowIsMaximum = window, false
	}
	return m
}

// studioModelsOld is the same for older versions of LM Studio.
func (c *Client) studioModelsOld(ctx context.Context) []llm.ListedModel {
	var answer struct {
		Data []struct {
			ID           string `json:"id"`
			Quantisation string `json:"quantization"`
			State        string `json:"state"`
			Max          int    `json:"max_context_length"`
			Window       int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if c.get(ctx, "/api/v0/models", &answer) != nil {
		return nil
	}
	var list []llm.ListedModel
	for _, m := range answer.Data {
		l := llm.ListedModel{ID: m.ID, Quantisation: m.Quantisation, ContextWindow: m.Max, WindowIsMaximum: m.Max > 0}
		if m.State == "loaded" || m.Window > 0 {
			l = served(l, m.Window)
		}
		list = append(list, l)
	}
	return list
}

// dockerModels lists Docker Model Runner's models under each of their names.
func (c *Client) dockerModels(ctx context.Context) []llm.ListedModel {
	var answer []struct {
		ID     string   `json:"id"`
		Tags   []string `json:"tags"`
		Config struct {
			Parameters   string `json:"parameters"`
			Quantisation string `json:"quantization"`
			Size         string `json:"size"`
		} `json:"config"`
	}
	// The list is above /engines, and above a backend's name in it.
	if c.get(ctx, "/../../models", &answer) != nil {
		return nil
	}
	var list []llm.ListedModel
	for _, m := range answer {
		for _, name := range append(m.Tags, m.ID) {
			list = append(list, llm.ListedModel{
				ID: name, Parameters: toldParameters(m.Config.Parameters),
				Bytes: toldBytes(m.Config.Size), Quantisation: fileType(m.Config.Quantisation),
			})
		}
	}
	return list
}

// parameters writes a number of weights: "494M", "1.5B".
func parameters(n float64) string {
	unit := "M"
	if n /= 1e6; n >= 999.5 {
		n, unit = n/1000, "B"
	}
	digits := 0
	if n < 99.95 && unit == "B" {
		digits = 1
	}
	return strings.TrimSuffix(strconv.FormatFloat(n, 'f', digits, 64), ".0") + unit
}

var (
	countForm = regexp.MustCompile(`^([0-9.]+) ?([MB])$`)
	bytesForm = regexp.MustCompile(`^([0-9.]+) ?([kKMGT]?)(i?)B$`)
)

// toldParameters writes what a server says of the number of weights in our way.
// What is no plain number ("35B-A3B") stays.
func toldParameters(told string) string {
	parts := countForm.FindStringSubmatch(told)
	if parts == nil {
		return told
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return told
	}
	return parameters(n * map[string]float64{"M": 1e6, "B": 1e9}[parts[2]])
}

// toldBytes reads "256.35 MiB" or "4.1GB"; anything else is 0, unknown.
func toldBytes(told string) int64 {
	parts := bytesForm.FindStringSubmatch(told)
	if parts == nil {
		return 0
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return 0
	}
	step := 1000.0
	if parts[3] != "" {
		step = 1024
	}
	for range strings.Index("_KMGT", strings.ToUpper(parts[2])) {
		n *= step
	}
	return int64(n)
}

// fileType shortens the names that GGUF files give their quantisation:
// "Q4_K - Medium", "IQ3_S - 3.4375 bpw", "MOSTLY_Q8_0", "Q8_0 (guessed)".
func fileType(name string) string {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "MOSTLY_"), " (")
	base, rest, _ := strings.Cut(name, " - ")
	switch rest {
	case "Small", "Medium", "Large":
		return base + "_" + rest[:1]
	}
	return base
}
