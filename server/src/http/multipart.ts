import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import { validationMessage } from '@roster/contracts/text/validation-messages';
import type { z } from 'zod';
import { AppError } from '#server/lib/errors';
import { invalidInput } from './app-router/input.ts';

/** A file while it arrives. Name and type come from the sender and may be anything. */
export type IncomingFile = { filename: string; type: string; content: AsyncIterable<Buffer> };

/** Reads an uploaded form; `take` receives the file as it arrives. */
export type Receive<Fields> = <T>(take: (file: IncomingFile) => Promise<T>) => Promise<{ fields: Fields; file: T }>;

/** A field whose name ends in `[]` is a list. */
type FormFields = Record<string, string | string[]>;
type ReceivedForm<T> = { fields: FormFields; file: T };

const fieldLimit = 10_000;
const maxFields = 20;

const incompleteUpload = (cause?: unknown) =>
  new AppError('invalid_input', 'The upload was incomplete. Please try again.', { cause });
const invalidUpload = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/** The bytes of one part, up to the limit. A truncated part throws instead of looking like a shorter one. */
async function* bounded(part: AsyncIterable<unknown>, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of part) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('A part of an upload came as text');
      size += chunk.length;
      if (size > limit)
        throw new AppError('too_large', `The file is larger than ${Math.floor(limit / 1024 / 1024)} MB.`);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof AppError ? error : incompleteUpload(error);
  }
}

function open(request: IncomingMessage) {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      limits: {
        fieldNameSize: 100,
        fieldSize: fieldLimit,
        fields: maxFields,
        parts: maxFields + 5,
        headerPairs: 20,
      },
    });
  } catch (cause) {
    throw new AppError('invalid_input', 'The upload is not a form (multipart/form-data with a boundary).', { cause });
  }
}

/**
 * Reads a form with text fields and exactly one file, in any order, without buffering the file: `take` receives it as
 * it arrives. If this throws, `take` has settled too; the caller removes what it stored.
 */
async function receiveForm<T>(
  request: IncomingMessage,
  limit: number,
  take: (file: IncomingFile) => Promise<T>,
): Promise<ReceivedForm<T>> {
  // A request that is already destroyed emits neither `end` nor `error`.
  if (request.destroyed) throw incompleteUpload();
  const parser = open(request);
  const fields = new Map<string, string | string[]>();
  let part: (AsyncIterable<unknown> & { destroy: (error?: Error) => unknown }) | undefined;
  let taken: Promise<T> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('field', (name, value, _nameCut, valueCut) => {
        if (valueCut || value.includes('\0')) reject(invalidUpload(name, 'This field cannot be stored'));
        else if (name.endsWith('[]')) fields.set(name, [fields.get(name) ?? [], value].flat());
        else if (fields.has(name)) reject(invalidUpload(name, 'This field may be there only once'));
        else fields.set(name, value);
      });
      parser.on('file', (name, stream, filename, _encoding, type) => {
        stream.on('error', () => undefined);
        if (name !== 'file' || taken) {
          stream.resume();
          reject(
            name === 'file' ? invalidUpload('file', 'Send one file at a time') : invalidUpload(name, 'Unknown field'),
          );
          return;
        }
        part = stream;
        taken = take({ filename: filename ?? '', type: type ?? '', content: bounded(stream, limit) });
        taken.catch(reject);
      });
      for (const event of ['partsLimit', 'fieldsLimit'] as const)
        parser.once(event, () => reject(new AppError('invalid_input', 'The upload has too many parts.')));
      parser.once('finish', resolve);
      parser.once('error', (cause) => reject(cause instanceof AppError ? cause : incompleteUpload(cause)));
      // A broken connection ends the request without ending the form.
      request.once('close', () => {
        if (!request.complete) reject(incompleteUpload());
      });
      request.once('error', (cause) => reject(incompleteUpload(cause)));
      request.pipe(parser);
    });
    if (!taken) throw invalidUpload('file', 'Please select at least one file to upload');
    return { fields: Object.fromEntries(fields), file: await taken };
  } catch (error) {
    request.unpipe(parser);
    part?.destroy(error instanceof Error ? error : undefined);
    await taken?.catch(() => undefined);
    parser.on('error', () => undefined);
    throw error;
  }
}

/** Reads the form of a request; text fields are validated after the file, when all have arrived. */
export const createFormReceiver =
  <B extends z.ZodType>(
    request: IncomingMessage,
    { body, bodyLimit }: { body: B; bodyLimit: number },
    refusal: (issues: z.core.$ZodIssue[]) => AppError = invalidInput,
  ): Receive<z.output<B>> =>
  async (take) => {
    const { fields, file } = await receiveForm(request, bodyLimit, take);
    const parsed = body.safeParse(fields, { error: validationMessage });
    if (!parsed.success) throw refusal(parsed.error.issues);
    return { fields: parsed.data, file };
  };
