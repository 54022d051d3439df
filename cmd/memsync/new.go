package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/format"
)

func init() {
	verbs = append(verbs, verb{"new [NAME] --type TYPE", "Write a new memory in your editor", (*app).newVerb})
}

func (a *app) newVerb() *cobra.Command {
	var f fields
	cmd := &cobra.Command{
		Long: "new opens $VISUAL or $EDITOR on a template and submits what you save; a file that you leave as it was, or empty, is no\n" +
			"memory. It needs a terminal: `memsync write` is for everything else.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if cmd.Flags().Changed("name") {
					return usage("the name is given twice: as an argument and with --name")
				}
				f.name = args[0]
			}
			if err := f.place.settle(a.env); err != nil {
				return err
			}
			if _, ok := memsync.ParseType(f.typ); !ok {
				return &memsync.Error{Code: memsync.CodeTypeInvalid, Message: "a new memory needs a type",
					Hint: "--type user, feedback, project or reference"}
			}
			template, err := f.template(a)
			if err != nil {
				return err
			}
			k, err := a.openFor(f.typ, f.place)
			if err != nil {
				return err
			}
			defer k.Close()
			name := format.FileName(memsync.Type(f.typ), format.Slug(f.name))
			data, err := a.inEditor(k, name, template)
			switch {
			case err != nil:
				return err
			case bytes.Equal(data, template), len(bytes.TrimSpace(data)) == 0:
				a.draft = ""
				return a.nothing("nothing was saved, so there is no new memory")
			}
			c := a.candidate(memsync.OpUpsert)
			if err := f.typed(k, data, &c); err != nil {
				return err
			}
			c.Scope, c.RequestID = f.scope, a.flags.requestID
			if err := refuseKnown(k, c); err != nil {
				return err
			}
			return a.submit(k, c)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&a.flags.requestID, "request-id", "", "an `ID` of your own: the same one again changes nothing")
	a.dryRunFlag(cmd)
	return cmd
}

// template is what the editor opens on: the keys in their order, those that
// were given filled in.
func (f *fields) template(a *app) ([]byte, error) {
	keys := []memsync.Field{
		{Key: "name", Value: memsync.Text(f.name)},
		{Key: "description", Value: memsync.Text(f.description)},
		{Key: "type", Value: memsync.Text(f.typ)},
		{Key: "tags", Value: memsync.List(f.tags...)},
	}
	if f.key != "" {
		keys = append(keys, memsync.Field{Key: "key", Value: memsync.Text(f.key)})
	}
	for _, s := range f.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, usage("--set takes KEY=VALUE, not %q", s)
		}
		keys = append(keys, memsync.Field{Key: key, Value: memsync.Text(value)})
	}
	body, err := a.argument(f.content)
	if err != nil {
		return nil, err
	}
	d, err := format.New(keys, body)
	if err != nil {
		return nil, err
	}
	return d.Bytes(), nil
}

// typed takes what a person saved apart into a write's keys and text; keys
// left empty are none.
func (f *fields) typed(k *opened, data []byte, c *memsync.Candidate) error {
	d, err := format.Parse(data, k.Store.Policy.Limits)
	if err != nil {
		return err
	}
	for _, key := range d.Keys() {
		v := key.Value
		if v.IsList {
			v.List = slices.DeleteFunc(slices.Clone(v.List), func(s string) bool { return strings.TrimSpace(s) == "" })
		}
		if v.IsList && len(v.List) == 0 || !v.IsList && (v.Text == "" || v.Text == "{}") {
			continue
		}
		c.Fields = append(c.Fields, memsync.Field{Key: key.Name, Value: v})
	}
	body := d.Body()
	if strings.TrimSpace(body) == "" {
		return &memsync.Error{Code: memsync.CodeUsage, Message: "there is no text below the header", Hint: "write what is to be remembered below the second ---"}
	}
	c.Content = &body
	return nil
}

// refuseKnown keeps `new` from correcting a memory that is there: that is
// what edit and write are for.
func refuseKnown(k *opened, c memsync.Candidate) error {
	v, err := k.View()
	if err != nil {
		return err
	}
	get := func(key string) string {
		for _, f := range c.Fields {
			if f.Key == key {
				return f.Value.Text
			}
		}
		return ""
	}
	t, _ := memsync.ParseType(get("type"))
	for m := range v.All() {
		if c.Scope != "" && m.Scope != c.Scope {
			continue
		}
		sameKey := get("key") != "" && m.Key == get("key")
		sameName := get("name") != "" && m.Type == t && m.Slug == format.Slug(get("name"))
		if sameKey || sameName {
			return &memsync.Error{Code: memsync.CodeDuplicateAmbiguous, Path: m.Path, Message: "a memory of that type and name, or with that key, is there already",
				Hint: "change it with `memsync edit " + string(m.ID) + "`, or give the new one another name"}
		}
	}
	return nil
}
