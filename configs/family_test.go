package configs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mm/configs"
)

// withModel loads the defaults for a model that the server named.
func withModel(t *testing.T, model string, src configs.Sources) *configs.Loaded {
	t.Helper()
	l, err := configs.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	if l, err = l.WithProfile(model); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFamilyIsFoundByTheModelsName(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		model, name string
		size        float64
	}{
		// As llama-server, Docker Model Runner, Ollama, LM Studio, vLLM name them.
		{"Qwen3-8B-Q4_K_M.gguf", "qwen3", 8},
		{"/models/unsloth/Qwen3-4B-Instruct-2507-UD-Q4_K_XL.gguf", "qwen3-instruct", 4},
		{"ai/qwen3:8B-Q4_K_M", "qwen3", 8},
		{"ai/qwen3", "qwen3", 0},
		{"qwen3:0.6b", "qwen3", 0.6},
		{"qwen3-coder:30b", "qwen3-coder", 30},
		{"qwen/qwen3-coder-30b", "qwen3-coder", 30},
		{"Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-coder", 30},
		{"qwen_qwen3-30b-a3b-thinking-2507", "qwen3", 30},
		{"qwen3.5:4b", "qwen3.5-small", 4},
		{"Qwen3.5-122B-A10B", "qwen3.5", 122},
		{"Qwen3.6-35B-A3B-Q4_K_M.gguf", "qwen3.5", 35},
		{"Qwen3.8-27B", "qwen3.8", 27},
		{"qwen2.5-coder-1.5b", "qwen2.5", 1.5},
		{"Ornith-1.5-35B-Q4_K_M.gguf", "ornith", 35},
		{"google/gemma-3-270m", "gemma3", 0.27},
		{"gemma3n:e4b", "gemma3", 4},
		{"gemma-4-26B-A4B-it-GGUF", "gemma4", 26},
		{"gemma4:e2b", "gemma4", 2},
		{"openai/gpt-oss-20b", "gpt-oss", 20},
		{"ai/gpt-oss", "gpt-oss", 21},
		{"gpt-oss:120b", "gpt-oss", 120},
		{"mistral-small3.2:24b", "mistral", 24},
		{"mistralai/Mistral-Nemo-Instruct-2407", "mistral", 12},
		{"devstral-small-2507", "mistral", 24},
		{"mistralai/Ministral-3-8B-Instruct-2512", "ministral", 8},
		{"Ministral-3-14B-Reasoning-2512-Q4_K_M.gguf", "magistral", 14},
		{"llama3.2", "llama3", 0},
		{"Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama3", 8},
		{"granite-4.0-h-tiny", "granite", 7},
		{"granite4:350m", "granite", 0.35},
		{"microsoft/phi-4", "phi", 14},
		{"Phi-4-mini-instruct", "phi", 3.8},
		{"phi-4-mini-reasoning", "phi-reasoning", 3.8},
		{"deepseek-r1:7b", "deepseek-r1", 7},
		{"deepseek-r1-0528-qwen3-8b", "deepseek-r1", 8},
		{"DeepSeek-R1-Distill-Llama-8B-Q4_K_M.gguf", "deepseek-r1", 8},
		{"glm-4.7-flash", "glm", 30},
		{"THUDM_GLM-4-9B-0414-Q4_K_M", "glm4", 9},
		{"smollm2-135m", "smollm2", 0.135},
		{"HuggingFaceTB/SmolLM3-3B", "smollm3", 3},
		{"mellum2-12b-a2.5b-instruct", "mellum", 12},
		{"JetBrains/Mellum2.1-12B-A2.5B-Thinking", "mellum-thinking", 12},
		{"mixtral-8x7b", "", 56},
		// No family: a part of a word, another model, nothing.
		{"mycodegemma3", "", 0},
		{"scripted", "", 0},
		{"gpt-4o-mini", "", 0},
	} {
		l := withModel(t, tc.model, configs.Sources{})
		if l.Family.Name != tc.name || l.Family.Size != tc.size {
			t.Errorf("%s: family %q of %vB, want %q of %vB", tc.model, l.Family.Name, l.Family.Size, tc.name, tc.size)
		}
	}
}

func TestProfileLiesUnderTheUsersFile(t *testing.T) {
	t.Parallel()
	user := write(t, t.TempDir(), "agent.yaml", "sampling: {temperature: 0.3}\n")
	l := withModel(t, "qwen3:8b", configs.Sources{UserFile: user, Env: []string{"MM_SAMPLING_TOP_K=5"}})
	if l.Sampling.Temperature != 0.3 || l.Sampling.TopP != 0.95 || *l.Sampling.TopK != 5 || *l.Sampling.MinP != 0 {
		t.Errorf("got %+v", l.Sampling)
	}
	for key, want := range map[string]string{
		"sampling.temperature": user + ":1", "sampling.top_p": "profile qwen3", "sampling.top_k": "MM_SAMPLING_TOP_K", "maxTurns": "default",
	} {
		if l.Origins[key] != want {
			t.Errorf("origin of %s is %q, want %q", key, l.Origins[key], want)
		}
	}
}

func TestProfileFollowsTheModelInUse(t *testing.T) {
	t.Parallel()
	l := withModel(t, "qwen3:4b", configs.Sources{})
	if l.Prompt != "short" || l.Sampling.Temperature != 0.6 {
		t.Errorf("qwen3:4b: prompt %s, temperature %v", l.Prompt, l.Sampling.Temperature)
	}
	l, err := l.WithProfile("granite-4.0-h-small")
	if err != nil {
		t.Fatal(err)
	}
	if l.Prompt != "full" || l.Sampling.Temperature != 0 || l.Sampling.TopK != nil {
		t.Errorf("something of the model before is left: prompt %s, %+v", l.Prompt, l.Sampling)
	}
}

func TestProfileIsNamedByTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		env    []string
		served string
		want   string
	}{
		{"the model's name is enough", []string{"MM_MODEL=qwen3:8b"}, "", "qwen3"},
		{"the server's name is the better one", []string{"MM_MODEL=fast"}, "Qwen3-8B.gguf", "qwen3"},
		{"a named profile stays", []string{"MM_PROFILE=gemma4"}, "qwen3:8b", "gemma4"},
		{"a named profile needs no model", []string{"MM_PROFILE=gemma4"}, "", "gemma4"},
		{"none is none", []string{"MM_PROFILE=none"}, "qwen3:8b", ""},
		{"nothing is known yet", nil, "", ""},
	} {
		l, err := configs.Load(configs.Sources{Env: tc.env})
		if err == nil && tc.served != "" {
			l, err = l.WithProfile(tc.served)
		}
		if err != nil || l.Family.Name != tc.want {
			t.Errorf("%s: family %q, %v; want %q", tc.name, l.Family.Name, err, tc.want)
		}
	}
	_, err := configs.Load(configs.Sources{Env: []string{"MM_PROFILE=qwen4"}})
	if err == nil || !strings.Contains(err.Error(), `MM_PROFILE: there is no profile "qwen4"; there are auto, none, deepseek-r1, gemma3`) {
		t.Errorf("got %v", err)
	}
}

func TestSizeDecides(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		model     string
		prompt    string
		plan      bool
		maxTokens int
		watchdog  time.Duration
	}{
		{"granite4:1b", "short", false, 4096, 30 * time.Second},
		{"granite4:3b", "short", true, 4096, 30 * time.Second},
		{"granite4:7b", "full", true, 4096, 30 * time.Second},
		{"gemma-4-26B-A4B-it", "full", true, 32768, 300 * time.Second},
		{"gpt-oss:20b", "full", true, 32768, 300 * time.Second},
		{"Qwen3.6-35B-A3B", "full", true, 32768, 300 * time.Second},
		{"somebody/unheard-of-30b", "full", true, 32768, 300 * time.Second},
	} {
		l := withModel(t, tc.model, configs.Sources{})
		got := fmt.Sprint(l.Prompt, l.PlanTool, l.Sampling.MaxTokens, l.WatchdogTimeout)
		if want := fmt.Sprint(tc.prompt, tc.plan, tc.maxTokens, tc.watchdog); got != want {
			t.Errorf("%s: got %s, want %s", tc.model, got, want)
		}
	}
}

func TestLowMaxTokensIsWarnedOfWhereAModelReasons(t *testing.T) {
	t.Parallel()
	low := []string{"MM_SAMPLING_MAX_TOKENS=4096"}
	l := withModel(t, "qwen3:8b", configs.Sources{Env: low})
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "MM_SAMPLING_MAX_TOKENS: sampling.max_tokens is 4096") || !strings.Contains(l.Warnings[0], "10240 or more") {
		t.Errorf("got %q", l.Warnings)
	}
	for _, model := range []string{"qwen3-coder:30b", "gemma3:4b", "scripted"} {
		if l := withModel(t, model, configs.Sources{Env: low}); len(l.Warnings) != 0 {
			t.Errorf("%s does not reason: %q", model, l.Warnings)
		}
	}
}

// TestProfilesAreSound holds each profile: it can be laid, it fits its own
// reserve, and its forms of calls are known ones.
func TestProfilesAreSound(t *testing.T) {
	t.Parallel()
	for _, name := range configs.Profiles() {
		l, err := configs.Load(configs.Sources{Env: []string{"MM_PROFILE=" + name}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(l.Warnings) != 0 {
			t.Errorf("%s: %q", name, l.Warnings)
		}
		if l.Family.Reasons != (l.Family.Reserve > 0) {
			t.Errorf("%s: reasons %v with a reserve of %d", name, l.Family.Reasons, l.Family.Reserve)
		}
		if len(l.Family.TextCalls) == 0 {
			t.Errorf("%s names no form of calls in text", name)
		}
		for _, form := range l.Family.TextCalls {
			if !slices.Contains(configs.TextForms, form) {
				t.Errorf("%s: the form %q is not a known one", name, form)
			}
		}
	}
}

// TestProfilesCiteTheirSources holds that each value of a profile has a comment
// above its group.
func TestProfilesCiteTheirSources(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("profiles/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for _, key := range []string{"\nreserve:", "\n    temperature:", "\nsize:", "\nsystemRole:", "\nalternates:"} {
			i := strings.Index(text, key)
			if i < 0 {
				continue
			}
			above := strings.TrimSpace(text[strings.LastIndex(text[:i], "\n")+1 : i])
			if !strings.HasPrefix(above, "#") {
				t.Errorf("%s: %s has no source above it, but %q", name, strings.TrimSpace(key), above)
			}
		}
	}
}

// Each value of a profile has its source, or says that it is our own, in a
// comment above it. What follows from the kind of model is in the first line.
func TestEachValueOfAProfileHasASource(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join("profiles", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	alone := []string{"size", "sizes", "reserve", "systemRole", "alternates", "textCalls", "max_tokens"} // the rest is cited together
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		above := ""
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			key, _, _ := strings.Cut(line, ":")
			switch {
			case above == "sampling:" && !strings.HasPrefix(line, "#"),
				slices.Contains(alone, key) && !strings.HasPrefix(above, "#") && !strings.HasPrefix(above, "size"):
				t.Errorf("%s: %s has no source", name, line)
			}
			above = line
		}
	}
}
