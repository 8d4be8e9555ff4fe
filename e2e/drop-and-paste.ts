import type { Page } from '@playwright/test';

export type Given = { name: string; mimeType: string; buffer: Buffer };

/** The DataTransfer when files or a text are dropped or pasted. */
export const createDataTransfer = (page: Page, files: Given[], text = '') =>
  page.evaluateHandle(
    ({ list, plain }) => {
      const transfer = new DataTransfer();
      for (const { name, type, bytes } of list) transfer.items.add(new File([Uint8Array.from(bytes)], name, { type }));
      if (plain !== '') transfer.setData('text/plain', plain);
      return transfer;
    },
    { list: files.map(({ name, mimeType: type, buffer }) => ({ name, type, bytes: [...buffer] })), plain: text },
  );

/** Pastes like a user; synthetic pastes do not insert text by themselves. */
export async function pasteInto(page: Page, label: string, files: Given[], text = '') {
  const clipboardData = await createDataTransfer(page, files, text);
  await page.getByLabel(label, { exact: true }).evaluate((field, data) => {
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, clipboardData);
}
