import type { Readable } from 'node:stream';
import { z } from 'zod';
import { ProviderError } from '#server/provider/transport/error';
import { listLimit, type ProviderHttp } from '#server/provider/transport/http';
import { multipartForm } from '#server/provider/transport/multipart-form';
import { toIsoTime } from '#server/provider/transport/timeouts';
import type { Secret } from '#server/security/secret';

/** A file as the provider lists it. */
export type ProviderFile = { id: string; filename: string; bytes: number; purpose: string; createdAt: string };

type OutgoingFile = {
  filename: string;
  type: string;
  purpose: string;
  bytes: number;
  content: Readable;
};

const pageSize = 1_000;
const maxPages = 20;
const sendMs = 10 * 60_000;

/** Ids of other providers have other prefixes; none contains a character with a meaning in URLs. */
const FileId = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/);
const SentFile = z.object({ id: FileId });
const FilePage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      filename: z.string().catch(''),
      bytes: z.number().catch(-1),
      purpose: z.string().catch(''),
      created_at: z.number().catch(0),
    }),
  ),
  has_more: z.boolean().catch(false),
});

/** The files of a key at the provider. All methods throw ProviderError. */
export function providerFiles(http: ProviderHttp) {
  return {
    /** Sent once, never retried: a retry could create a second file. */
    async upload(apiKey: Secret, file: OutgoingFile): Promise<string> {
      const form = multipartForm([['purpose', file.purpose]], { ...file, name: 'file' });
      try {
        const signal = AbortSignal.timeout(sendMs);
        const answer = await http.json({
          method: 'POST',
          path: '/files',
          apiKey,
          form,
          retries: 0,
          limit: 65_536,
          signal,
        });
        const sent = SentFile.safeParse(answer);
        if (!sent.success)
          throw new ProviderError('provider_unavailable', 'The provider’s answer could not be read.', {
            cause: sent.error,
          });
        return sent.data.id;
      } catch (error) {
        if (error instanceof DOMException && error.name === 'TimeoutError')
          throw new ProviderError('provider_timeout', 'The provider did not accept the file in time.', {
            cause: error,
          });
        throw error;
      } finally {
        form.content.destroy();
        file.content.destroy();
      }
    },

    /** All files, or undefined if there are too many to read. */
    async list(apiKey: Secret): Promise<ProviderFile[] | undefined> {
      const found: ProviderFile[] = [];
      let after = '';
      for (let number = 0; number < maxPages; number++) {
        const path = `/files?limit=${pageSize}&order=desc${after && `&after=${encodeURIComponent(after)}`}`;
        const page = FilePage.safeParse(await http.json({ method: 'GET', path, apiKey, limit: listLimit }));
        if (!page.success)
          throw new ProviderError('provider_unavailable', 'The provider’s list of files could not be read.', {
            cause: page.error,
          });
        for (const { id, filename, bytes, purpose, created_at } of page.data.data)
          found.push({ id, filename, bytes, purpose, createdAt: toIsoTime(created_at) ?? new Date(0).toISOString() });
        after = page.data.data.at(-1)?.id ?? '';
        if (!page.data.has_more || !after) return found;
      }
      return undefined;
    },

    /** Succeeds too if the file no longer exists. */
    async remove(apiKey: Secret, id: string) {
      const path = `/files/${FileId.parse(id)}`;
      try {
        await http.json({ method: 'DELETE', path, apiKey, retries: 0, limit: 65_536, withinMs: 30_000 });
      } catch (error) {
        if (error instanceof ProviderError && error.isNotFound) return;
        throw error;
      }
    },
  };
}

export type ProviderFiles = ReturnType<typeof providerFiles>;
