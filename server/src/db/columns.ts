/** Maps `reasoningEffort` to the column `reasoning_effort`. */
type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : '';

/** The fields of a contract as columns of a table. */
export type Columns<Fields> = { [Field in keyof Fields & string as ColumnName<Field>]: Fields[Field] };

// Both convert names as the types above do.
export const columnOf = <Field extends string>(field: Field) =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as ColumnName<Field>;
export const toColumns = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [columnOf(field), value])) as Columns<Fields>;
