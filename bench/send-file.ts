import { request } from 'node:http';

const boundary = 'boundary-of-the-benchmark';

/** Uploads one file as a browser does; resolves with the response. */
export function sendFile(
  port: number,
  headers: Record<string, string>,
  filename: string,
  purpose: string,
  content: Buffer,
) {
  const before = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n` +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`,
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  return new Promise<{ id: number; sha256?: string }>((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/api/files/upload',
        headers: {
          ...headers,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': before.length + content.length + after.length,
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
    outgoing.write(content);
    outgoing.end(after);
  });
}
