import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';

const migrations = 'server/src/db/migrations';
const numbers = readdirSync(join(root, migrations)).map((file) => Number.parseInt(file, 10) || 0);
const name = `${String(Math.max(...numbers) + 1).padStart(4, '0')}-audience`;
const migration = `import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

export async function up(db: Kysely<Database>) {
  for (const table of ['assistants', 'assistant_versions'] as const)
    await db.schema
      .alterTable(table)
      .addColumn('audience', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
}
`;
const field = `export function AudienceField({ form }: { form: AssistantForm }) {
  return (
    <Field label="Audience" error={form.formState.errors.audience?.message}>
      {(control) => <Input {...control} {...form.register('audience')} />}
    </Field>
  );
}

`;
const form = 'web/src/features/assistants/fields/assistant-form.tsx';
const editor = 'web/src/features/assistants/editor/editor-fields.tsx';
const texts = 'web/src/features/assistants/versions/field-texts.ts';

/** Adds a field to an assistant, in five files and one that a command writes. */
export const assistantField = {
  name: 'assistant-field',
  most: 5,
  code: [
    {
      file: 'contracts/src/assistants/assistants.ts',
      before: '  starters: {',
      text: "  audience: { draft: z.string().max(200).default(''), change: z.string().max(200), stored: z.string() },\n",
    },
    { file: `${migrations}/${name}.ts`, text: migration },
    { file: form, before: 'type AssistantFieldsProps', text: field },
    { file: form, before: '      <AvatarFields', text: '      <AudienceField form={form} />\n' },
    { file: editor, before: 'DescriptionField, NameField }', text: 'AudienceField, ' },
    { file: editor, before: '        <InstructionsField', text: '        <AudienceField form={form} />\n' },
  ],
  demandingTypes: [texts],
  last: [
    { file: texts, before: "  starters: 'Conversation", text: "  audience: 'Audience',\n" },
    { file: texts, before: '  starters: ({ settings })', text: '  audience: ({ settings }) => settings.audience,\n' },
  ],
};
