package compose

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// The published schema and the parser agree: what one refuses the other does, but
// for what a schema cannot say (a name that stands twice, a ceiling above the sum).
func TestSchemaAgreesWithTheParser(t *testing.T) {
	data, err := os.ReadFile("../docs/agent.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("agent.json", raw); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("agent.json")
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Split(string(agentFile(t)), "---\n")[1]
	for _, front := range []string{
		whole, "name: x\n", "", "judgments:\n", "persona: ~\n", "name: 7\n", "learn: {n: 3, sections: {conventions: guarded}}\n",
		"background: {conventions: {branch: main, port: 8080}}\n", "learn: {budgets: {background: 10}}\n",
		"awareness: {}\n", "manuals: {releasing: {}}\n", "manuals: {releasing: }\n",
		// refused
		"nmae: x\n", "persona: []\n", "persona: {identty: x}\n", "judgments: {}\n", "judgments: [{heuristics: [x]}]\n", "judgments: [{domain: ''}]\n",
		"judgments: [{domain: d, examples: [{scenario: s}]}]\n", "background: {habits: {}}\n", "background: {conventions: [x]}\n", "background: {conventions: {a: {b: c}}}\n",
		"awareness: {domains: [{description: d}]}\n", "recovery: {}\n", "recovery: {prompt: p, maxAttempts: 0}\n", "recovery: {prompt: p, maxAttempts: many}\n",
		"learn: {n: 0}\n", "learn: {n: 1.5}\n", "learn: {manuals: maybe}\n", "learn: {sections: {constraints: auto}}\n", "learn: {sections: {tone: guarded}}\n",
		"learn: {sections: {heuristics: erned}}\n", "learn: {budgets: {background: -1}}\n", "learn: {budgets: {backgruond: 1}}\n", "capabilities: memory\n",
		"capabilities: [{a: b}]\n", "mission: {objective: ['x']}\n", "name: [x]\n", "responsibilities: ['']\n",
	} {
		_, parsed := ParseAgent("agents/x/AGENT.md", []byte("---\n"+strings.Replace(front, "name: harbor", "name: x", 1)+"---\n"))
		if front == "name: 7\n" { // another name than the directory's, which no schema knows
			_, parsed = ParseAgent("AGENT.md", []byte("---\n"+front+"---\n"))
		}
		var tree any
		if err := yaml.Unmarshal([]byte(front), &tree); err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if valid := schema.Validate(value); (valid == nil) != (parsed == nil) {
			t.Errorf("%s\n  the parser says %v\n  the schema says %v", front, parsed, valid)
		}
	}
}
