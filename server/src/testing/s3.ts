import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const smallestPart = 5 * 1024 * 1024;
const bucket = 'roster-test';
const accessKeyId = 'AKIATESTTESTTESTTEST';
const secretAccessKey = 'a-secret-that-signs-and-is-never-sent';
const region = 'eu-test-1';

type PendingUpload = { key: string; parts: Map<number, Buffer> };
type Refusal = { status: number; code: string };

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const hash = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Verifies AWS Signature Version 4, recomputed by Amazon's documentation. */
function isSigned(request: IncomingMessage, url: URL, body: Buffer): boolean {
  const [, credential = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  const [id, day = '', inRegion = '', service = '', end = ''] = credential.split('/');
  if (id !== accessKeyId || inRegion !== region || service !== 's3' || end !== 'aws4_request') return false;
  if (!names.split(';').includes('host')) return false;
  const givenHash = String(request.headers['x-amz-content-sha256']);
  if (givenHash !== 'UNSIGNED-PAYLOAD' && givenHash !== hash(body)) return false;
  const time = String(request.headers['x-amz-date']);
  if (!time.startsWith(day)) return false;
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, url.pathname, query, headers.join(''), names, givenHash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, hash(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), 's3'), 'aws4_request');
  return hmac(key, toSign).toString('hex') === signature;
}

/**
 * A store with the part of the S3 HTTP API that Roster uses: objects, multipart uploads, and verified signatures.
 * Everything is in memory.
 */
export async function startS3() {
  const objects = new Map<string, Buffer>();
  const pending = new Map<string, PendingUpload>();
  /** While set, every request for which it returns something is rejected with that. */
  let falsified = (content: Buffer) => content;
  let refusal: (method: string, path: string) => Refusal | undefined = () => undefined;

  const xml = (response: ServerResponse, status: number, text: string) =>
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
  const refuse = (response: ServerResponse, { status, code }: Refusal) =>
    xml(response, status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);

  function uploads(request: IncomingMessage, url: URL, key: string, body: Buffer, response: ServerResponse) {
    const { searchParams: query } = url;
    if (request.method === 'POST' && query.has('uploads')) {
      const id = randomBytes(8).toString('hex');
      pending.set(id, { key, parts: new Map() });
      return xml(
        response,
        200,
        `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (request.method === 'GET' && query.has('uploads')) {
      const found = [...pending].filter(([, upload]) => upload.key.startsWith(query.get('prefix') ?? ''));
      const list = found.map(([id, upload]) => `<Upload><Key>${upload.key}</Key><UploadId>${id}</UploadId></Upload>`);
      return xml(
        response,
        200,
        `<ListMultipartUploadsResult><Bucket>${bucket}</Bucket><IsTruncated>false</IsTruncated>${list.join('')}</ListMultipartUploadsResult>`,
      );
    }
    const id = query.get('uploadId') ?? '';
    const upload = pending.get(id);
    if (upload?.key !== key) return refuse(response, { status: 404, code: 'NoSuchUpload' });
    if (request.method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return response.writeHead(200, { etag: `"${hash(body)}"` }).end();
    }
    pending.delete(id);
    if (request.method === 'DELETE') return response.writeHead(204).end();
    const parts = [...upload.parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
    const named = body.toString().match(/<PartNumber>/g)?.length ?? 0;
    if (named !== parts.length) return refuse(response, { status: 400, code: 'InvalidPart' });
    if (parts.slice(0, -1).some((part) => part.length < smallestPart))
      return refuse(response, { status: 400, code: 'EntityTooSmall' });
    objects.set(key, falsified(Buffer.concat(parts)));
    return xml(
      response,
      200,
      `<CompleteMultipartUploadResult><Location>here</Location><Bucket>${bucket}</Bucket><Key>${key}</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`,
    );
  }

  function list(prefix: string, response: ServerResponse) {
    const found = [...objects].filter(([key]) => key.startsWith(prefix));
    const entries = found.map(([key, { length }]) => `<Contents><Key>${key}</Key><Size>${length}</Size></Contents>`);
    return xml(
      response,
      200,
      `<ListBucketResult><Name>${bucket}</Name><IsTruncated>false</IsTruncated>${entries.join('')}</ListBucketResult>`,
    );
  }

  function object(request: IncomingMessage, key: string, body: Buffer, response: ServerResponse) {
    const content = objects.get(key);
    switch (request.method) {
      case 'PUT':
        objects.set(key, falsified(body));
        return response.writeHead(200, { etag: `"${hash(body)}"` }).end();
      case 'DELETE':
        objects.delete(key);
        return response.writeHead(204).end();
      case 'HEAD':
        return response.writeHead(content ? 200 : 404).end();
      case 'GET':
        if (!content) return refuse(response, { status: 404, code: 'NoSuchKey' });
        return response.writeHead(200, { 'content-length': content.length }).end(content);
      default:
        return refuse(response, { status: 405, code: 'MethodNotAllowed' });
    }
  }

  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
      if (!isSigned(request, url, body)) return refuse(response, { status: 403, code: 'SignatureDoesNotMatch' });
      const refused = refusal(request.method ?? '', url.pathname + url.search);
      if (refused) return refuse(response, refused);
      const [, inBucket, ...rest] = decodeURIComponent(url.pathname).split('/');
      if (inBucket !== bucket) return refuse(response, { status: 404, code: 'NoSuchBucket' });
      const isUpload = url.searchParams.has('uploads') || url.searchParams.has('uploadId');
      if (isUpload) return uploads(request, url, rest.join('/'), body, response);
      if (url.searchParams.has('list-type')) return list(url.searchParams.get('prefix') ?? '', response);
      return object(request, rest.join('/'), body, response);
    } catch {
      // The other side is gone, so nobody can be told.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: AddressInfo | { port: number } = Object(server.address());
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    bucket,
    accessKeyId,
    secretAccessKey,
    region,
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    /** The names of the objects, and of incomplete multipart uploads. */
    names: () => [
      ...[...objects.keys()].map((key) => key.replace('files/', '')),
      ...[...pending.values()].map(({ key }) => `${key.replace('files/', '')}.part`),
    ],
    refuse(which: typeof refusal) {
      refusal = which;
    },
    content: (key: string) => objects.get(key),
    /** Alters the content of every object that is stored from here on. */
    falsify(how: (content: Buffer) => Buffer) {
      falsified = how;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
