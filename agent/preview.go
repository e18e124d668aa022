package agent

import "mm/tools"

// What the user sees of a call before deciding, and after.
type (
	Preview          = tools.Preview
	DiffPreview      = tools.DiffPreview
	CommandPreview   = tools.CommandPreview
	TextPreview      = tools.TextPreview
	ChecklistPreview = tools.ChecklistPreview
)
