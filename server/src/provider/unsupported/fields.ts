import { ProviderError } from '#server/provider/transport/error';
import { rejectionPattern } from '#server/provider/transport/failures';

/** A field that an answer can do without: Roster's name, and the names in requests and errors. */
export type OptionalField = {
  name: string;
  called: readonly string[];
  /** The name is an ordinary word, or the user chose the value: only words that reject it count. */
  isOrdinary?: boolean;
};

/** Some servers in front of a model answer 500 for an unknown argument. */
const mayRefuseFields = ({ code, status }: ProviderError) =>
  code === 'bad_request' || code === 'unsupported_parameter' || (code === 'provider_unavailable' && status === 500);

const isNamedIn = (text: string, name: string) =>
  new RegExp(`(?<![\\w.])${name.replaceAll('.', '\\.')}(?![\\w])`, 'i').test(text);

/** `body.temperature` and `temperature.0` both mean `temperature`. */
const isAbout = (param: string, name: string) => `${param.replace(/^body\./, '')}.`.startsWith(`${name}.`);

/**
 * The first of these fields that a provider rejects: by the parameter it names, otherwise by its words. Each server
 * words this differently, so only names that were sent count.
 */
export function unsupportedFieldIn<Field extends OptionalField>(
  error: unknown,
  sent: readonly Field[],
): Field | undefined {
  if (!(error instanceof ProviderError) || !mayRefuseFields(error)) return undefined;
  const { param = '', providerMessage = '', code, status } = error;
  const refuses = code === 'unsupported_parameter' || rejectionPattern.test(providerMessage);
  const named = sent.find(({ called }) => called.some((name) => isAbout(param, name)));
  if (named) return refuses || !named.isOrdinary ? named : undefined;
  // The parameter is another field, which cannot be omitted.
  if (param !== '' && !refuses) return undefined;
  return sent.find(
    ({ called, isOrdinary }) =>
      called.some((name) => isNamedIn(providerMessage, name)) && (refuses || (!isOrdinary && status !== 500)),
  );
}
