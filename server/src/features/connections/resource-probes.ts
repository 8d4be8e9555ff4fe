import { Readable } from 'node:stream';
import { isObject } from '#server/lib/is-object';
import type { ConnectionKey } from '#server/provider/connections/connection-key';
import type { ProviderModel } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { ProbeResult } from './probes.ts';

const notServed = (reason: string): ProbeResult => ({ result: 'fails', reason });

/** Sends a small file and deletes it. */
export async function probeFiles(key: ConnectionKey): Promise<ProbeResult> {
  const content = Buffer.from('Roster checks whether this provider keeps files. It deletes this one at once.\n');
  const id = await key.provider.files.upload(key, {
    filename: 'roster-check.txt',
    type: 'text/plain',
    purpose: 'user_data',
    bytes: content.length,
    content: Readable.from([content]),
  });
  try {
    await key.provider.files.remove(key, id);
    return { result: 'works', reason: null };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { result: 'works', reason: `The file roster-check.txt could not be deleted again: ${error.message}` };
  }
}

const isEmbedding = ({ id }: ProviderModel) => /embed/i.test(id);

const hasVector = (answer: unknown) =>
  isObject(answer) &&
  Array.isArray(answer.data) &&
  answer.data.some((one) => isObject(one) && (typeof one.embedding === 'string' || Array.isArray(one.embedding)));

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > 1024 * 1024) throw new ProviderError('provider_unavailable', 'The provider’s answer is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

export async function probeEmbeddings(
  key: ConnectionKey,
  list: readonly ProviderModel[],
  signal: AbortSignal,
): Promise<ProbeResult> {
  const model = list.find(isEmbedding)?.id;
  if (model === undefined) return { result: 'unknown', reason: 'Not tried: the list has no embedding model.' };
  const text = JSON.stringify({ model, input: 'Roster' });
  const { body } = await key.provider.relay({ path: '/embeddings', apiKey: key, text, streams: false, signal });
  try {
    if (hasVector(JSON.parse(await textOf(body)))) return { result: 'works', reason: model };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return notServed(`${model} answered without an embedding.`);
}

export async function probeFineTuning(key: ConnectionKey): Promise<ProbeResult> {
  await key.provider.fineTuning.list(key);
  return { result: 'works', reason: null };
}
