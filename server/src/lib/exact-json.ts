/**
 * A number in its author's digits, where JavaScript would write it differently. `JSON.stringify` writes it unchanged.
 */
type ExactNumber = { readonly rawJSON: string };

declare global {
  /** Available in Node.js 24, not yet in TypeScript's library. */
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

export const isExactNumber = (value: unknown): value is ExactNumber => JSON.isRawJSON(value);

/**
 * Like `JSON.parse`, but keeps numbers as written, such as 9007199254740993, 1.0 or 1e400.
 * @throws SyntaxError
 */
export const parseExact = (text: string): unknown =>
  JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value,
  );

/** The number in its author's digits; undefined if `value` is not a number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return isExactNumber(value) ? value.rawJSON : undefined;
}

/** True for whole numbers, even beyond JavaScript's range: `1e400`, `1.0` and `12.50e1`, but not `1e-400`. */
export function isIntegerText(text: string): boolean {
  const [isNumber, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (isNumber === undefined) return false;
  const digits = `${whole}${fraction}`.replace(/0+$/, '');
  const zerosAtEnd = whole.length + fraction.length - digits.length;
  return /^0*$/.test(digits) || Number(exponent) - fraction.length + zerosAtEnd >= 0;
}
