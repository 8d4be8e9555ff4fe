import { expect } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';

/** Presses a key, or several held together: 'Escape', 'Control+k'. */
export const press = (keys: string): Promise<void> => {
  const held = keys.split('+');
  const last = held.pop() ?? '';
  return userEvent.keyboard(
    `${held.map((key) => `{${key}>}`).join('')}${last.length === 1 ? last : `{${last}}`}${held.map((key) => `{/${key}}`).join('')}`,
  );
};

/** Passes if the element is missing or not visible. */
export const expectHidden = (what: Locator): Promise<void> =>
  expect
    .poll(() => what.elements().filter((element) => element.checkVisibility({ visibilityProperty: true })))
    .toEqual([]);

export const expectCount = (what: Locator, count: number): Promise<void> =>
  expect.poll(() => what.elements().length).toBe(count);

const textOf = (element: Element) =>
  (element instanceof HTMLElement ? element.innerText : (element.textContent ?? '')).replaceAll(/\s+/g, ' ').trim();

/** Expects exactly these texts in order; a pattern matches part of a text. */
export const expectTexts = (what: Locator, texts: (string | RegExp)[]): Promise<void> =>
  expect
    .poll(() => what.elements().map(textOf))
    .toEqual(texts.map((text) => (text instanceof RegExp ? expect.stringMatching(text) : text)));

/** Expects `text` within the element's text. */
export const expectText = (what: Locator, text: string | RegExp): Promise<void> =>
  expect.element(what).toMatchTextContent(text);

/** Visible toasts, newest first. */
export const toasts = page.getByRole('region', { name: /Notifications/ }).getByRole('listitem');

export const expectToast = (title: string, description?: string): Promise<void> => {
  const titled = toasts.filter({ hasText: title });
  return expect.element(description === undefined ? titled : titled.filter({ hasText: description })).toBeVisible();
};

/** Chooses in the picker of models that a field opens, by typing and Enter. */
export async function pickModel(field: Locator, name: string): Promise<void> {
  await field.click();
  const picker = page.getByRole('dialog', { name: 'Models' });
  await picker.getByRole('combobox').fill(name);
  await press('Enter');
  await expect.element(picker).not.toBeInTheDocument();
}
