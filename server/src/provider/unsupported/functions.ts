import type { FunctionTool } from '#server/provider/answer-tools';
import type { AnswerRequest } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';

/**
 * `tools[3].parameters`, `tools.3.custom.input_schema`, `tools[0].function_declarations[3].parameters`, `body tools 3
 * function`.
 */
const place = /(?:function_declarations|tools)[[.\s]+(\d+)\]?(?!\S*function_declarations)/i;
const isOfSchema = /schema|parameters|properties|function_declarations|functions?\b|\btools?\b/i;

const isNamed = (words: string, name: string) =>
  new RegExp(`(?<![\\w-])${name.replaceAll(/[^\w]/g, '\\$&')}(?![\\w-])`).test(words);

/** The key in the set of omitted fields. */
const omittedAs = ({ name }: Pick<FunctionTool, 'name'>) => `function ${name}`;
export const addOmitted = (name: string, omitted: Set<string>) => omitted.add(omittedAs({ name }));

const sparedOf = ({ tools }: AnswerRequest, omitted: ReadonlySet<string>) =>
  (tools?.functions ?? []).filter((one) => !omitted.has(omittedAs(one)));

/**
 * The connected tool whose schema or name a provider rejects; undefined: something else is rejected, or the tool is not
 * named.
 */
export function unsupportedFunctionIn(
  error: unknown,
  request: AnswerRequest,
  omitted: ReadonlySet<string>,
): FunctionTool | undefined {
  if (!(error instanceof ProviderError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const words = `${error.param ?? ''} ${error.providerMessage ?? error.message}`;
  if (!isOfSchema.test(words)) return undefined;
  const sent = sparedOf(request, omitted);
  const [named] = sent.filter(({ name }) => isNamed(words, name)).toSorted((a, b) => b.name.length - a.name.length);
  const index = place.exec(words)?.[1];
  const found = named ?? (index === undefined ? undefined : sent[Number(index)]);
  return found?.canBeSpared ? found : undefined;
}

/** Omits the function, and returns the note that says so. */
export function omitUnsupportedFunction(refused: FunctionTool, error: unknown, omitted: Set<string>): string {
  addOmitted(refused.name, omitted);
  const why = error instanceof ProviderError ? (error.providerMessage ?? error.message) : '';
  return `The tool ${refused.name} was left out, because the provider refuses the description of its arguments: ${why}`;
}

/** The request without the omitted functions. */
export function withoutOmittedFunctions(request: AnswerRequest, omitted: ReadonlySet<string>): AnswerRequest {
  const { tools } = request;
  const functions = sparedOf(request, omitted);
  if (!tools || functions.length === tools.functions.length) return request;
  if (functions.length === 0 && !tools.codeInterpreter) return { ...request, tools: undefined };
  return { ...request, tools: { ...tools, functions } };
}
