import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const folder = new URL('./openai-schemas/', import.meta.url);
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const schemas: Record<string, unknown> = Object.assign(
  {},
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))),
);
ajv.addSchema({ $id: 'openai', $defs: schemas });

/**
 * Returns the value if it conforms to the provider's description.
 * @throws naming each place where it does not
 */
export function conforming<Value>(schema: string, value: Value): Value {
  if (!(schema in schemas)) throw new Error(`openai-schemas/ has no ${schema}`);
  const validate = ajv.getSchema(`openai#/$defs/${schema}`);
  if (!validate) throw new Error(`${schema} is no schema`);
  if (!validate(value))
    throw new Error(`No ${schema}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value, null, 2)}`);
  return value;
}
