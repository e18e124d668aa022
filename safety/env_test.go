package safety

import (
	"slices"
	"testing"
)

func TestScrubEnv(t *testing.T) {
	t.Parallel()
	stay := []string{
		"PATH=/bin", "HOME=/h", "PWD=/p", "OLDPWD=/o", "SSH_AUTH_SOCK=/s",
		"TOKENIZERS_PARALLELISM=1", "MONKEY=1", "GOFLAGS=", "KEYBOARD=us",
		"XAUTHORITY=/x", "SECRETARY=no", "AUTHOR=me", "MM_THEME=dark",
	}
	drop := []string{
		"MM_API_KEY=1", "OPENAI_API_KEY=1", "GITHUB_TOKEN=1", "GH_TOKEN=1",
		"AWS_SECRET_ACCESS_KEY=1", "AWS_ACCESS_KEY_ID=1", "DB_PASSWORD=1",
		"MYSQL_PWD=1", "NPM_TOKEN=1", "api_key=1", "PGPASSWORD=1",
		"DATABASE_URL=1", "SESSION_COOKIE=1", "HF_TOKEN_2=1", "CLIENT_SECRET=1",
	}
	if got := ScrubEnv(slices.Concat(stay, drop)); !slices.Equal(got, stay) {
		t.Errorf("got %v\nwant %v", got, stay)
	}
}
