// The floor of an upload: a server that writes the bytes to disk while hashing them, flushes, and does nothing else.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';

let number = 0;
createServer(async (request, response) => {
  const hash = createHash('sha256');
  async function* hashed(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await pipeline(request, hashed, createWriteStream(`${process.env.FOLDER}/${number++}`, { flush: true }));
  response.writeHead(201).end(JSON.stringify({ id: number, sha256: hash.digest('hex') }));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
