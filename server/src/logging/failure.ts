import { ProviderError } from '#server/provider/transport/error';

/** The fields of an error that may be logged: none can hold personal data. */
const plainFields = ['code', 'errno', 'errcode', 'syscall', 'status', 'statusCode', 'table', 'column', 'constraint'];
const maxCauses = 8;

const causeOf = (error: unknown) => (error instanceof Error ? error.cause : undefined);

function causeChain(error: unknown): unknown[] {
  const all = [error];
  for (let cause = causeOf(error); cause !== undefined && all.length < maxCauses; cause = causeOf(cause))
    all.push(cause);
  return all;
}

/** A code such as providers use for failures; longer text may contain personal data. */
const safeCode = (text: string | undefined) => (text !== undefined && /^[\w.-]{1,64}$/.test(text) ? text : undefined);

const frames = (error: Error) =>
  error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');

const providerFields = ({ code, status, providerCode, requestId }: ProviderError) => ({
  code,
  ...(status !== undefined && { status }),
  ...(safeCode(providerCode) && { providerCode: safeCode(providerCode) }),
  ...(safeCode(requestId) && { providerRequestId: safeCode(requestId) }),
});

/**
 * An error as it is logged. The provider's words are left out because they may repeat a conversation, with the messages
 * that quote them; likewise a parser's, which quotes what it could not read.
 */
export function serializeFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name: type, cause } = error;
  const below = cause === undefined ? {} : { cause: serializeFailure(cause) };
  if (error instanceof ProviderError) return { type, ...providerFields(error), stack: frames(error), ...below };
  const fields = Object.fromEntries(
    Object.entries(error).filter(
      ([name, value]) => plainFields.includes(name) && ['string', 'number'].includes(typeof value),
    ),
  );
  const isQuoting = error instanceof SyntaxError || causeChain(cause).some((one) => one instanceof ProviderError);
  const details = isQuoting ? { stack: frames(error) } : { message: error.message, stack: error.stack };
  const several =
    error instanceof AggregateError ? { errors: error.errors.slice(0, maxCauses).map(serializeFailure) } : {};
  return { type, ...fields, ...details, ...several, ...below };
}

const codeIn = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? safeCode(error.code) : undefined;

/** A code for a kind of failure: all that administrators may see of other users' failures. */
export function failureClass(error: unknown): string {
  const all = causeChain(error);
  const provider = all.find((one) => one instanceof ProviderError);
  if (provider) return `provider ${provider.code}`;
  const code = all.map(codeIn).find((one) => one !== undefined);
  return code ?? (error instanceof Error ? (safeCode(error.name) ?? 'Error') : 'unknown');
}

/** The same in one line, for operators who look at the row. */
export function describeFailure(error: unknown): string {
  const provider = causeChain(error).find((one) => one instanceof ProviderError);
  if (provider) {
    const details = Object.entries(providerFields(provider)).map(([name, value]) => `${name} ${value}`);
    return `the provider failed: ${details.join(', ')}`;
  }
  if (error instanceof SyntaxError) return 'something was no JSON';
  return error instanceof Error ? error.message.slice(0, 500) : 'unknown';
}
