import { createReadStream, statSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const boundary = 'boundary-of-the-benchmark';

type Part = { port: number; path: string; headers: Record<string, string>; fields: string; filename: string };

/** Sends a form with one file; resolves with the response. */
function sendForm<T>({ port, path, headers, fields, filename }: Part, content: Readable, size: number): Promise<T> {
  const before = Buffer.from(
    `${fields}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`,
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  return new Promise<T>((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path,
        headers: {
          ...headers,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': before.length + size + after.length,
        },
      },
      async (incoming) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        if (incoming.statusCode === 201) resolve(JSON.parse(text));
        else reject(new Error(`The upload answered ${incoming.statusCode}: ${text}`));
      },
    );
    outgoing.on('error', reject);
    outgoing.write(before);
    pipeline(content, outgoing, { end: false }).then(() => outgoing.end(after), reject);
  });
}

/** Uploads one file as a browser does. */
export function sendFile(
  port: number,
  headers: Record<string, string>,
  filename: string,
  purpose: string,
  content: Buffer,
) {
  const fields = `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n`;
  const part = { port, path: '/api/files/upload', headers, fields, filename };
  return sendForm<{ id: number; sha256?: string }>(part, Readable.from([content]), content.length);
}

/** Uploads an export of conversations from disk. */
export function uploadExport(port: number, headers: Record<string, string>, file: string) {
  const part = { port, path: '/api/imports', headers, fields: '', filename: 'export.zip' };
  return sendForm<{ id: number }>(part, createReadStream(file), statSync(file).size);
}
