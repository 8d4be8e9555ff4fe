import { fileSizeLimit } from '@roster/contracts/files/files';
import { ProviderError } from '#server/provider/transport/error';
import { type ProviderHttp, toNetworkError } from '#server/provider/transport/http';
import type { ProviderTimeouts } from '#server/provider/transport/timeouts';
import type { Secret } from '#server/security/secret';
import type { ContainerFile } from './generated-files.ts';

type OpenedFile = {
  /** undefined: not reported by the provider. */
  bytes: number | undefined;
  content: AsyncIterable<Buffer>;
  /** Must always be called; discards what was not read. */
  close: () => void;
};

/** The containers of code interpreter runs, which the provider keeps for twenty minutes. */
export function providerContainers(http: ProviderHttp, { containerFileMs }: Pick<ProviderTimeouts, 'containerFileMs'>) {
  return {
    /** @throws ProviderError, also while the content is read */
    async open(apiKey: Secret, { containerId, fileId }: ContainerFile): Promise<OpenedFile> {
      const signal = AbortSignal.timeout(containerFileMs);
      const failureOf = (error: unknown) => {
        if (error instanceof ProviderError) return error;
        if (!signal.aborted) return toNetworkError(error);
        return new ProviderError('provider_timeout', 'The provider did not send the file in time.', { cause: error });
      };
      const path = `/containers/${containerId}/files/${fileId}/content`;
      const { headers, body } = await http
        .sendRequest({ method: 'GET', path, apiKey, retries: 0, signal })
        .catch((error: unknown) => {
          throw failureOf(error);
        });
      const length = Number(headers['content-length'] ?? Number.NaN);
      return {
        bytes: Number.isSafeInteger(length) ? Math.min(length, fileSizeLimit + 1) : undefined,
        content: chunksOf(body, failureOf),
        close: () => body.destroy(),
      };
    },
  };
}

async function* chunksOf(body: AsyncIterable<Buffer>, failureOf: (error: unknown) => ProviderError) {
  try {
    yield* body;
  } catch (error) {
    throw failureOf(error);
  }
}

export type ProviderContainers = ReturnType<typeof providerContainers>;
