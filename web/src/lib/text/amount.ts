/** Parses an amount of money: '2.5', '$1,200', '0,15' with a decimal comma. NaN if it is not one. */
export function readAmount(typed: string): number {
  const text = typed.replaceAll(/[\s$]/g, '');
  if (!/^\d/.test(text) && !/^[.,]\d/.test(text)) return Number.NaN;
  if (/^\d{1,3}(,\d{3})+(\.\d*)?$/.test(text)) return Number(text.replaceAll(',', ''));
  return /^\d*[.,]?\d*$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
}

/** Formats an amount for an input field. */
export const writeAmount = (amount: number): string =>
  new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 15 }).format(amount);
