package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	luajson "layeh.com/gopher-json"
)

// argocd says what a health script returns, run as argo-cd util/lua/lua.go does: three libraries, and one second.
func argocd(asked question) string {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.LoadLibName, lua.OpenPackage},
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
	} {
		call := lua.P{Fn: state.NewFunction(library.open), NRet: 0, Protect: true}
		if err := state.CallByParam(call, lua.LString(library.name)); err != nil {
			return "does not start: " + err.Error()
		}
	}
	limit, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state.SetContext(limit)
	state.SetGlobal("obj", luajson.DecodeValue(state, floats(asked.Object)))
	if err := state.DoString(asked.Lua); err != nil {
		return "fails: " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	text, err := luajson.Encode(state.Get(-1))
	if err != nil {
		return "returns no health: " + err.Error()
	}
	var health struct{ Status, Message string }
	if err := json.Unmarshal(text, &health); err != nil {
		return "returns no health: " + string(text)
	}
	return health.Status + ": " + health.Message
}

// floats has every integer as the one sort of number that Lua knows, which Argo CD does, too.
func floats(value any) any {
	switch value := value.(type) {
	case map[string]any:
		result := map[string]any{}
		for key, each := range value {
			result[key] = floats(each)
		}
		return result
	case []any:
		result := []any{}
		for _, each := range value {
			result = append(result, floats(each))
		}
		return result
	case int64:
		return float64(value)
	}
	return value
}
