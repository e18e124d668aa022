package agenttest

import (
	"fmt"
	"reflect"
	"strings"

	"mm/agent"
)

// fields writes the fields of an event that are not zero, as name=value.
func fields(e agent.Event) string {
	v := reflect.ValueOf(Timeless(e))
	var b strings.Builder
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			fmt.Fprintf(&b, " %s=%s", strings.ToLower(v.Type().Field(i).Name), value(f))
		}
	}
	return b.String()
}

func value(f reflect.Value) string {
	switch f.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", f.String())
	case reflect.Pointer:
		return value(f.Elem())
	case reflect.Interface:
		return fmt.Sprintf("%T", f.Interface())
	}
	return fmt.Sprintf("%v", f.Interface())
}
