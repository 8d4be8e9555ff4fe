import { isStrict, problemText, responseSchemaLimit, schemaProblem } from '@roster/contracts/response-schema';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';
import { schemaExamples } from './schema-examples.ts';

type SchemaEditorProps = {
  value: string | null;
  /** Error from the last submit. */
  error: string | undefined;
  onChange: (schema: string | null) => void;
};

const hints = {
  none: 'A JSON schema that every answer must match. Leave empty for plain-text answers.',
  strict: 'The provider guarantees answers that match this schema.',
  loose:
    'Answers may not match this schema exactly. For a guarantee, list all properties of every object in “required”, set “additionalProperties” to false, and use no other keywords.',
};

const hintOf = (schema: string | null) =>
  schema === null ? hints.none : hints[isStrict(JSON.parse(schema)) ? 'strict' : 'loose'];

/** Editor of the response schema, validated while typing. */
export function SchemaEditor({ value, error, onChange }: SchemaEditorProps) {
  // The schema that an example replaced.
  const [before, setBefore] = useState<string | null>(null);
  const problem = value === null ? undefined : schemaProblem(value);
  const put = (text: string | null) => onChange(text === null || text.trim() === '' ? null : text);
  return (
    <Field
      label="JSON schema"
      hint={problem ? undefined : hintOf(value)}
      error={problem ? problemText(problem) : error}
      counter={{ value: value?.length ?? 0, max: responseSchemaLimit }}
      aside={
        <span className="flex items-center gap-1">
          {before !== null && (
            <Button
              size="sm"
              variant="ghost"
              onClick={() => {
                put(before);
                setBefore(null);
              }}
            >
              Undo
            </Button>
          )}
          <Menu trigger={<Button size="sm">Examples</Button>}>
            {schemaExamples.map(({ label, schema }) => (
              <MenuItem
                key={label}
                onSelect={() => {
                  setBefore(value);
                  put(JSON.stringify(schema, null, 2));
                }}
              >
                {label}
              </MenuItem>
            ))}
          </Menu>
        </span>
      }
    >
      {(control) => (
        <Textarea
          {...control}
          dir="ltr"
          value={value ?? ''}
          onChange={(event) => {
            setBefore(null);
            put(event.currentTarget.value);
          }}
          rows={12}
          spellCheck={false}
          autoComplete="off"
          placeholder={'{\n  "type": "object",\n  "properties": {}\n}'}
          className="font-mono text-sm"
        />
      )}
    </Field>
  );
}
