import { ProviderError } from '#server/provider/transport/error';

/** What of an error's own fields may be in the log: none that could hold a person's data. */
const plainFields = ['code', 'errno', 'errcode', 'syscall', 'status', 'statusCode', 'table', 'column', 'constraint'];
const causesAtMost = 8;

const causeOf = (error: unknown) => (error instanceof Error ? error.cause : undefined);

function chain(error: unknown): unknown[] {
  const all = [error];
  for (let cause = causeOf(error); cause !== undefined && all.length < causesAtMost; cause = causeOf(cause))
    all.push(cause);
  return all;
}

/** A word such as providers have for their failures; anything longer may be a person's text. */
const word = (text: string | undefined) => (text !== undefined && /^[\w.-]{1,64}$/.test(text) ? text : undefined);

const frames = (error: Error) =>
  error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');

const ofProvider = ({ code, status, providerCode, requestId }: ProviderError) => ({
  code,
  ...(status !== undefined && { status }),
  ...(word(providerCode) && { providerCode: word(providerCode) }),
  ...(word(requestId) && { providerRequestId: word(requestId) }),
});

/**
 * An error as the log has it. The provider's words stay out, which may repeat a conversation, and with them the messages
 * that quote them; a parser's too, which quotes what it could not read.
 */
export function loggedFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name: type, cause } = error;
  const below = cause === undefined ? {} : { cause: loggedFailure(cause) };
  if (error instanceof ProviderError) return { type, ...ofProvider(error), stack: frames(error), ...below };
  const fields = Object.fromEntries(
    Object.entries(error).filter(
      ([name, value]) => plainFields.includes(name) && ['string', 'number'].includes(typeof value),
    ),
  );
  const isQuoting = error instanceof SyntaxError || chain(cause).some((one) => one instanceof ProviderError);
  const said = isQuoting ? { stack: frames(error) } : { message: error.message, stack: error.stack };
  const several =
    error instanceof AggregateError ? { errors: error.errors.slice(0, causesAtMost).map(loggedFailure) } : {};
  return { type, ...fields, ...said, ...several, ...below };
}

const codeIn = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? word(error.code) : undefined;

/** One word for a kind of failure: what administrators may see of what failed for others. */
export function failureClass(error: unknown): string {
  const all = chain(error);
  const provider = all.find((one) => one instanceof ProviderError);
  if (provider) return `provider ${provider.code}`;
  const code = all.map(codeIn).find((one) => one !== undefined);
  return code ?? (error instanceof Error ? (word(error.name) ?? 'Error') : 'unknown');
}

/** The same in one line, for the operator who looks at a row. */
export function failureInWords(error: unknown): string {
  const provider = chain(error).find((one) => one instanceof ProviderError);
  if (provider) {
    const said = Object.entries(ofProvider(provider)).map(([name, value]) => `${name} ${value}`);
    return `the provider failed: ${said.join(', ')}`;
  }
  if (error instanceof SyntaxError) return 'something was no JSON';
  return error instanceof Error ? error.message.slice(0, 500) : 'unknown';
}
