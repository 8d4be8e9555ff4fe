import { ProviderError } from '#server/provider/transport/error';
import { refusingWords } from '#server/provider/transport/failures';

/** A field that an answer can do without: by Roster's name, and by those that requests and providers have for it. */
export type OptionalField = {
  name: string;
  called: readonly string[];
  /** Its names are words of ordinary sentences, or a person has chosen its value: only words that refuse it count. */
  isOrdinary?: boolean;
};

/** Servers in front of a model answer 500 for an argument that they do not know. */
const mayRefuseFields = ({ code, status }: ProviderError) =>
  code === 'bad_request' || code === 'unsupported_parameter' || (code === 'provider_unavailable' && status === 500);

const isNamedIn = (text: string, name: string) =>
  new RegExp(`(?<![\\w.])${name.replaceAll('.', '\\.')}(?![\\w])`, 'i').test(text);

/** `body.temperature` and `temperature.0` are about `temperature`. */
const isAbout = (param: string, name: string) => `${param.replace(/^body\./, '')}.`.startsWith(`${name}.`);

/**
 * The first of these fields that a provider refuses: by the field that it names apart, else by its words. Each server has words of
 * its own for that, so the names count that were sent.
 */
export function unsupportedFieldIn<Field extends OptionalField>(
  error: unknown,
  sent: readonly Field[],
): Field | undefined {
  if (!(error instanceof ProviderError) || !mayRefuseFields(error)) return undefined;
  const { param = '', said = '', code, status } = error;
  const refuses = code === 'unsupported_parameter' || refusingWords.test(said);
  const named = sent.find(({ called }) => called.some((name) => isAbout(param, name)));
  if (named) return refuses || !named.isOrdinary ? named : undefined;
  // Another field is named that cannot be left out.
  if (param !== '' && !refuses) return undefined;
  return sent.find(
    ({ called, isOrdinary }) =>
      called.some((name) => isNamedIn(said, name)) && (refuses || (!isOrdinary && status !== 500)),
  );
}
