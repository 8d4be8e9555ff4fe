import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

type FormFile = {
  /** The name of the form's field. */
  name: string;
  filename: string;
  type: string;
  bytes: number;
  content: Readable;
};

/** Escaped as browsers do: a name must not end the header it is in. */
const quoted = (name: string) => name.replace(/[\r\n]/g, ' ').replaceAll('"', '%22');

/** A multipart form with one file as a stream, and its length: not every provider takes a form without. */
export function multipartForm(fields: readonly (readonly [name: string, value: string])[], file: FormFile) {
  const boundary = `roster-${randomBytes(16).toString('hex')}`;
  const texts = fields.map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${texts.join('')}--${boundary}\r\n` +
      `content-disposition: form-data; name="${quoted(file.name)}"; filename="${quoted(file.filename)}"\r\n` +
      `content-type: ${quoted(file.type)}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* parts() {
    yield head;
    yield* file.content;
    yield tail;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: head.length + file.bytes + tail.length,
    content: Readable.from(parts(), { objectMode: false }),
  };
}
