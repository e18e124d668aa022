package configs

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Reference is the part of docs/configuration.md that is made from the code:
// a table for each section of keys, and one of the profiles.
func Reference() string {
	var b strings.Builder
	about := descriptions()
	b.WriteString(tableHead)
	for _, k := range keys {
		if !strings.Contains(k.path, ".") {
			row(&b, k, about)
		}
	}
	section := ""
	for _, k := range keys {
		parent, _, nested := strings.Cut(k.path, ".")
		if !nested {
			continue
		}
		if parent != section {
			section = parent
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s", section, about[section], tableHead)
		}
		row(&b, k, about)
	}
	profileTables(&b)
	return b.String()
}

const tableHead = "| Key | Kind | Default | |\n| --- | --- | --- | --- |\n"

// row describes a key.
func row(b *strings.Builder, k key, about map[string]string) {
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", k.path, kind(k), defaultText(k.path), cell(describeKey(k, about[k.path])))
}

// profileTables describes the profiles, and what follows from sizes.
func profileTables(b *strings.Builder) {
	b.WriteString("\n## Profiles\n\n")
	b.WriteString("| Profile | Models whose name has | Thinks | Settings |\n| --- | --- | --- | --- |\n")
	list, classes := profiles()
	for _, p := range list {
		thinks := "no"
		if p.Reasons {
			thinks = fmt.Sprintf("yes, up to %d tokens", p.Reserve)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.name, cell(strings.Join(p.Match, ", ")), thinks, cell(settings(&p.Config)))
	}
	b.WriteString("\nOver it, what follows from the size alone:\n\n| Size | Settings |\n| --- | --- |\n")
	for _, c := range classes {
		fmt.Fprintf(b, "| %s | %s |\n", c, cell(settings(&c.Config)))
	}
}

// kind names the values of a key in a few words.
func kind(k key) string {
	t := k.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "duration"
	case t.Kind() == reflect.Map:
		return "servers"
	case t == reflect.TypeFor[[]Rule]():
		return "rules"
	case t.Kind() == reflect.Slice:
		return "list"
	case t.Kind() == reflect.Bool:
		return "yes or no"
	case t.Kind() == reflect.String && choices[k.path] != nil:
		return "name"
	}
	return strings.TrimPrefix(typeName(t), "a ")
}

func defaultText(path string) string {
	if _, ok := optionalKeys[path]; ok {
		return "not sent"
	}
	value := defaultOf(path)
	switch v := value.(type) {
	case string:
		if v == "" {
			return "empty"
		}
		return "`" + v + "`"
	case []any, map[string]any:
		return "empty"
	}
	return fmt.Sprintf("`%v`", value)
}

// describeKey adds the choices and the variable to a key's description.
func describeKey(k key, about string) string {
	if names := choices[k.path]; names != nil {
		about += " One of " + strings.Join(names, ", ") + "."
	}
	return about + " `" + envName(k.path) + "`"
}

// cell makes a text fit into a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
