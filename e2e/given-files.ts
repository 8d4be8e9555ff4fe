import type { Page } from '@playwright/test';

export type Given = { name: string; mimeType: string; buffer: Buffer };

/** What the page gets when files or a text are dropped on it or pasted into it. */
export const carried = (page: Page, files: Given[], text = '') =>
  page.evaluateHandle(
    ({ list, plain }) => {
      const transfer = new DataTransfer();
      for (const { name, type, bytes } of list) transfer.items.add(new File([Uint8Array.from(bytes)], name, { type }));
      if (plain !== '') transfer.setData('text/plain', plain);
      return transfer;
    },
    { list: files.map(({ name, mimeType: type, buffer }) => ({ name, type, bytes: [...buffer] })), plain: text },
  );

/** As a person pastes into the message; a text that is pasted so does not stand there by itself. */
export async function pasteInto(page: Page, label: string, files: Given[], text = '') {
  const clipboardData = await carried(page, files, text);
  await page.getByLabel(label, { exact: true }).evaluate((field, data) => {
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, clipboardData);
}
