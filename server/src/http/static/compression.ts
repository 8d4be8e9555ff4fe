import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A smaller answer fits one network packet, with its headers, as it is. */
const worthIt = 1024;
/** What takes longer than a moment is done beside the event loop. */
const longWork = 64 * 1024;
/** Fast rather than small: an answer is compressed once for each time it is sent. */
const brotliLevel = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipLevel = { level: 4 };

const brotliBeside = promisify(brotliCompress);
const gzipBeside = promisify(gzip);

type Coding = { name: string; now: (text: string) => Buffer; beside: (text: string) => Promise<Buffer> };

const codings: readonly Coding[] = [
  {
    name: 'br',
    now: (text) => brotliCompressSync(text, brotliLevel),
    beside: (text) => brotliBeside(text, brotliLevel),
  },
  { name: 'gzip', now: (text) => gzipSync(text, gzipLevel), beside: (text) => gzipBeside(text, gzipLevel) },
];

/** The first of ours that the browser takes; `q=0` says that it does not. */
function codingFor(request: FastifyRequest): Coding | undefined {
  const accepted = [request.headers['accept-encoding'] ?? ''].flat().join(',').toLowerCase().split(',');
  const takes = (name: string) =>
    accepted.some((part) => {
      const [coding, ...parameters] = part.split(';').map((word) => word.trim());
      return coding === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    });
  return codings.find(({ name }) => takes(name));
}

/**
 * Compresses pages and JSON that are read. Files are compressed when they are built, event streams never are, and
 * neither is the answer to a change: a new token, link or code is shown there, and only there.
 */
export function compressResponses(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (request.method !== 'GET' || typeof payload !== 'string' || Buffer.byteLength(payload) < worthIt) return payload;
    const type = String(reply.getHeader('content-type') ?? '');
    if (!/^(text\/html|application\/json)\b/.test(type) || reply.hasHeader('content-encoding')) return payload;
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
    const coding = codingFor(request);
    if (!coding) return payload;
    reply.header('content-encoding', coding.name).removeHeader('content-length');
    return payload.length < longWork ? coding.now(payload) : coding.beside(payload);
  });
}
