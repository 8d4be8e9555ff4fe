import { type ClientRequest, request as open } from 'node:http';
import { expect, type Page } from '@playwright/test';
import type { Roster } from './roster.ts';

/**
 * Starts the maximum number of uploads for one user and leaves them unfinished: the server accepts no more from the
 * signed-in user until they are released.
 */
export async function holdUploads(page: Page, roster: Roster) {
  const cookies = await page.context().cookies(roster.url);
  const headers = { origin: roster.url, cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
  const held = new Map<number, ClientRequest>();
  let areHeld = true;
  function hold(number: number) {
    const boundary = `held-${number}`;
    const upload = open(`${roster.url}/api/files/upload`, {
      method: 'POST',
      headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': 1_000 },
    });
    // Cut off at the end of the test.
    upload.on('error', () => undefined);
    // It came while another one was being received, and was rejected.
    upload.on('response', () => areHeld && hold(number));
    upload.write(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="held-${number}.txt"\r\n\r\n`);
    held.set(number, upload);
  }
  hold(1);
  hold(2);
  await expect
    .poll(async () => {
      // Always rejected, so that the probe leaves no file.
      const multipart = {
        purpose: 'assistants',
        file: { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.of() },
      };
      const answer = await page.request.post(`${roster.url}/api/files/upload`, {
        headers: { origin: roster.url },
        multipart,
      });
      return answer.status();
    })
    .toBe(429);
  return {
    release() {
      areHeld = false;
      for (const upload of held.values()) upload.destroy();
    },
  };
}

/** Resolves when the server has asked the page to retry its upload. */
export const untilAskedToWait = (page: Page) =>
  page.waitForResponse((answer) => answer.url().endsWith('/api/files/upload') && answer.status() === 429);
