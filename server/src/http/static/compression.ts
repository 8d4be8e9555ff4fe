import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A smaller response fits one network packet with its headers. */
const minBytes = 1024;
/** Larger responses are compressed off the event loop. */
const asyncFromBytes = 64 * 1024;
/** Fast rather than small: each response is compressed once. */
const brotliLevel = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipLevel = { level: 4 };

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

type Coding = { name: string; now: (text: string) => Buffer; beside: (text: string) => Promise<Buffer> };

const codings: readonly Coding[] = [
  {
    name: 'br',
    now: (text) => brotliCompressSync(text, brotliLevel),
    beside: (text) => brotliAsync(text, brotliLevel),
  },
  { name: 'gzip', now: (text) => gzipSync(text, gzipLevel), beside: (text) => gzipAsync(text, gzipLevel) },
];

/** The first of our codings that the browser accepts; `q=0` excludes one. */
function negotiateCoding(request: FastifyRequest): Coding | undefined {
  const accepted = [request.headers['accept-encoding'] ?? ''].flat().join(',').toLowerCase().split(',');
  const takes = (name: string) =>
    accepted.some((part) => {
      const [coding, ...parameters] = part.split(';').map((word) => word.trim());
      return coding === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    });
  return codings.find(({ name }) => takes(name));
}

/**
 * Compresses pages and JSON responses to GET requests. Files are compressed at build time; event streams never are; nor
 * are responses to changes, because they may show a new token, link or code.
 */
export function compressResponses(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (request.method !== 'GET' || typeof payload !== 'string' || Buffer.byteLength(payload) < minBytes)
      return payload;
    const type = String(reply.getHeader('content-type') ?? '');
    if (!/^(text\/html|application\/json)\b/.test(type) || reply.hasHeader('content-encoding')) return payload;
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
    const coding = negotiateCoding(request);
    if (!coding) return payload;
    reply.header('content-encoding', coding.name).removeHeader('content-length');
    return payload.length < asyncFromBytes ? coding.now(payload) : coding.beside(payload);
  });
}
