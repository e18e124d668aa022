package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/template"

	"mm/configs"
	"mm/themes"
)

//go:embed shells/*.tmpl
var shellFiles embed.FS

// shellNames are the shells that have a completion script.
var shellNames = []string{"bash", "zsh", "fish", "powershell"}

// shells holds the scripts: the flags, commands and values are filled in.
var shells = template.Must(template.New("").Funcs(template.FuncMap{
	"join": strings.Join,
	"quote": func(s string) string { // inside of single quotes in fish and PowerShell
		return strings.ReplaceAll(s, "'", "’")
	},
	"zsh": func(s string) string { // inside of a specification of _arguments
		return strings.NewReplacer("'", "’", "[", "(", "]", ")", ":", " -").Replace(s)
	},
}).ParseFS(shellFiles, "shells/*.tmpl"))

// completable is a flag as the scripts need it.
type completable struct {
	Name, About string
	Takes       string   // what it takes, in a word; empty for a switch
	Values      []string // to choose from
	File, ID    bool     // takes a file, or the id of a conversation
}

// completables lists the flags.
func completables() []completable {
	var list []completable
	newFlags(&options{}).VisitAll(func(f *flag.Flag) {
		takes, about := flag.UnquoteUsage(f)
		c := completable{Name: f.Name, About: about, Takes: takes}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			c.Takes = ""
		}
		c.File = takes == "file"
		c.ID = takes == "id"
		c.Values = flagValues(f.Name)
		list = append(list, c)
	})
	return list
}

// flagValues are what may stand behind a flag, where that is known.
func flagValues(name string) []string {
	if name == "theme" {
		names := []string{"auto"}
		for _, t := range themes.Builtin() {
			names = append(names, t.Name)
		}
		return names
	}
	for _, f := range configFlags {
		if f.name == name {
			return configs.Choices(f.key)
		}
	}
	return nil
}

// completion prints the script of a shell.
func (p program) completion(shell string) int {
	for _, name := range shellNames {
		if name == shell {
			return p.done(writeCompletion(p.out, shell))
		}
	}
	return p.usage(fmt.Sprintf("there is no completion for %q; there is one for %s", shell, strings.Join(shellNames, ", ")))
}

// writeCompletion writes the script of a shell.
func writeCompletion(w io.Writer, shell string) error {
	type word struct {
		Name, About string
		Words       []string
	}
	data := struct {
		Flags    []completable
		Commands []word
	}{Flags: completables()}
	for _, c := range commands {
		data.Commands = append(data.Commands, word{c.name, c.about, c.words})
	}
	return shells.ExecuteTemplate(w, shell+".tmpl", data)
}
