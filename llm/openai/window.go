package openai

import (
	"context"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"mm/llm"
)

// Sources of the window's size, as the user reads them.
const (
	fromConfig  = "configuration"
	fromRefusal = "the server's refusal"
)

// finding is what one of the server's endpoints tells.
type finding struct {
	window  int    // served for one conversation, in tokens
	maximum int    // what the model was trained for
	source  string // the endpoint
	noTools bool
	model   string // that answers, where the endpoint names it
}

// askWindow fills in the window: the configured size, what a refusal taught,
// the size that is served, the model's maximum. Endpoints that do not answer
// tell nothing; the window then stays unknown.
func (c *Client) askWindow(ctx context.Context, info *llm.ModelInfo) {
	var maximum finding
	for _, ask := range c.windowSources() {
		f := ask(ctx, info.ID)
		info.NoTools = info.NoTools || f.noTools
		if f.model != "" && f.model != info.ID && !c.serves(ctx, info.ID) {
			info.Asked, info.ID = info.ID, f.model
		}
		if info.ContextWindow == 0 && f.window > 0 {
			info.ContextWindow, info.WindowSource = f.window, f.source
		}
		if maximum.maximum == 0 {
			maximum = f
		}
		if info.ContextWindow > 0 && info.WindowSource != fromConfig {
			break
		}
	}
	c.mu.Lock()
	taught := c.taught
	c.mu.Unlock()
	switch {
	case taught > 0 && (info.ContextWindow == 0 || taught < info.ContextWindow):
		info.ContextWindow, info.WindowSource = taught, fromRefusal
	case info.ContextWindow == 0 && maximum.maximum > 0:
		info.ContextWindow, info.WindowSource = maximum.maximum, maximum.source
		info.WindowIsMaximum = true
	}
}

// serves tells whether the server lists a model under a name. One that lists
// nothing is believed to.
func (c *Client) serves(ctx context.Context, model string) bool {
	var list modelList
	if c.get(ctx, "models", &list) != nil || len(list.Data) == 0 {
		return true
	}
	return slices.ContainsFunc(list.Data, func(m listedModel) bool {
		return m.ID == model || slices.Contains(m.Aliases, model) || path.Base(m.ID) == path.Base(model)
	})
}

type windowSource func(ctx context.Context, model string) finding

// windowSources are the endpoints of the provider, the most telling first.
func (c *Client) windowSources() []windowSource {
	switch c.opts.Provider {
	case DMR:
		return []windowSource{c.askDMR, c.askList}
	case Ollama:
		return []windowSource{c.askOllamaRunning, c.askOllamaModel}
	case LMStudio:
		return []windowSource{c.askStudio, c.askStudioOld}
	case VLLM:
		return []windowSource{c.askList}
	}
	return []windowSource{c.askProps, c.askList}
}

// askProps asks llama-server. n_ctx is per slot. A router is asked for the
// model, and must not load it for the question.
func (c *Client) askProps(ctx context.Context, model string) (f finding) {
	var p struct {
		Alias    string `json:"model_alias"`
		Settings struct {
			Window int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Caps struct {
			Tools *bool `json:"supports_tools"`
		} `json:"chat_template_caps"`
	}
	query := url.Values{"model": {model}, "autoload": {"false"}}
	if c.get(ctx, "/props?"+query.Encode(), &p) != nil {
		return f
	}
	return finding{
		window: p.Settings.Window, source: "/props", model: p.Alias,
		noTools: p.Caps.Tools != nil && !*p.Caps.Tools,
	}
}

// askList reads /v1/models: max_model_len of vLLM, meta of llama-server.
func (c *Client) askList(ctx context.Context, model string) (f finding) {
	var list modelList
	if c.get(ctx, "models", &list) != nil {
		return f
	}
	for _, m := range list.Data {
		if m.ID == model || slices.Contains(m.Aliases, model) || len(list.Data) == 1 {
			return finding{
				window:  max(m.MaxModelLen, m.Meta.Window),
				maximum: m.Meta.Max, source: "/v1/models",
			}
		}
	}
	return f
}

// askDMR reads the size that Docker Model Runner was configured with.
func (c *Client) askDMR(ctx context.Context, model string) (f finding) {
	var entries []struct {
		Config struct {
			Window int `json:"context-size"`
		}
	}
	if c.get(ctx, "/_configure?"+url.Values{"model": {model}}.Encode(), &entries) != nil {
		return f
	}
	for _, e := range entries {
		if e.Config.Window > 0 {
			return finding{window: e.Config.Window, source: "/engines/_configure"}
		}
	}
	return f
}

// askOllamaRunning reads the size of a loaded model.
func (c *Client) askOllamaRunning(ctx context.Context, model string) (f finding) {
	for _, m := range c.ollamaModels(ctx, "/api/ps") {
		if m.is(model) {
			return finding{window: m.Window, source: "/api/ps"}
		}
	}
	return f
}

// sameOllamaModel compares names, of which ":latest" is optional.
func sameOllamaModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// askOllamaModel reads a model's file: num_ctx is served once it is loaded,
// the architecture's context_length is only the maximum.
func (c *Client) askOllamaModel(ctx context.Context, model string) (f finding) {
	var show struct {
		Parameters   string                     `json:"parameters"`
		Info         map[string]json.RawMessage `json:"model_info"`
		Capabilities []string                   `json:"capabilities"`
	}
	body, err := json.Marshal(map[string]string{"model": model})
	if err != nil || c.ask(ctx, "POST", "/api/show", body, &show) != nil {
		return f
	}
	f.source = "/api/show"
	f.noTools = len(show.Capabilities) > 0 && !slices.Contains(show.Capabilities, "tools")
	for line := range strings.Lines(show.Parameters) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "num_ctx" {
			f.window, _ = strconv.Atoi(fields[1]) // 0, unknown, for anything else
		}
	}
	for key, value := range show.Info {
		if strings.HasSuffix(key, ".context_length") {
			f.maximum, _ = strconv.Atoi(string(value))
		}
	}
	return f
}

// askStudio reads LM Studio's loaded instances.
func (c *Client) askStudio(ctx context.Context, model string) finding {
	return studioFinding(c.studioModels(ctx), model, "/api/v1/models")
}

// askStudioOld is the same for older versions of LM Studio.
func (c *Client) askStudioOld(ctx context.Context, model string) finding {
	return studioFinding(c.studioModelsOld(ctx), model, "/api/v0/models")
}

func studioFinding(list []llm.ListedModel, model, source string) finding {
	m, ok := find(list, model)
	switch {
	case !ok:
		return finding{}
	case m.WindowIsMaximum:
		return finding{maximum: m.ContextWindow, source: source}
	}
	return finding{window: m.ContextWindow, source: source}
}
