package llm

func Explain(err error, _ ModelInfo) string { return err.Error() }
