package configs_test

import (
	"testing"

	"mm/configs"
)

// BenchmarkLoad is what a start pays, but for the first reading of the
// profiles.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		l, err := configs.Load(configs.Sources{})
		if err == nil {
			_, err = l.WithProfile("qwen3:8b")
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
