package page

import (
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// write turns the elements of a page into Markdown.
func write(content *html.Node, o Options) (string, error) {
	plugins := []converter.Plugin{base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()}
	if !o.NoTables {
		plugins = append(plugins, table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)))
	}
	if !o.NoStrikethrough {
		plugins = append(plugins, strikethrough.NewStrikethroughPlugin())
	}
	// What reads it is no renderer: text stays as it is, without backslashes.
	conv := converter.NewConverter(converter.WithPlugins(plugins...), converter.WithEscapeMode(converter.EscapeModeDisabled))
	out, err := conv.ConvertNode(content)
	return string(out), err
}
