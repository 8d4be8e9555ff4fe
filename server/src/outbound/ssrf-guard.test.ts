import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { patienceMs } from '#server/testing/patience';
import { parseAllowedHosts } from './allowed-hosts.ts';
import type { Lookup } from './guarded-connector.ts';
import { addressKind, parseAddress } from './ip-ranges.ts';
import { createSsrfGuard, type OutboundRequest } from './ssrf-guard.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Seen = { url: string; method: string; headers: IncomingMessage['headers']; body: string };

async function peer(answer: (seen: Seen, response: ServerResponse) => void) {
  const calls: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url = '', method = '', headers } = request;
    const seen = { url, method, headers, body: Buffer.concat(chunks).toString() };
    calls.push(seen);
    answer(seen, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, calls };
}

/** Sends these bytes to every client, and nothing more. */
async function talker(bytes: string, afterwards: (socket: Socket) => void = () => undefined) {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(bytes);
      afterwards(socket);
    });
    closing.push(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

function guard(allowed = '', lookup?: Lookup) {
  const outgoing = createSsrfGuard({ allowed: parseAllowedHosts(allowed), ...(lookup && { lookup }) });
  closing.push(() => outgoing.close());
  return async (url: string, more: Partial<OutboundRequest> = {}) => {
    const answer = await outgoing.sendRequest({
      url: new URL(url),
      method: 'GET',
      withinMs: 5_000,
      bodyLimit: 1_024,
      redirects: 'follow',
      ...more,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    return { status: answer.status, text: Buffer.concat(chunks).toString() };
  };
}

const refusedAs = (message: string | RegExp) => ({
  name: 'AddressBlockedError',
  message: expect.stringMatching(message),
});
const never: Lookup = () => Promise.reject(new Error('nobody was to be asked'));
const leadingTo =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('address kinds', () => {
  test.each([
    ['8.8.8.8', 'public'],
    ['1.1.1.1', 'public'],
    ['172.32.0.1', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.0', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::808:808', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['169.254.169.254', 'metadata'],
    ['::ffff:a9fe:a9fe', 'metadata'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['0.0.0.0', 'inner'],
    ['10.0.0.1', 'inner'],
    ['100.64.0.1', 'inner'],
    ['100.127.255.255', 'inner'],
    ['169.254.1.1', 'inner'],
    ['172.16.0.1', 'inner'],
    ['172.31.255.255', 'inner'],
    ['192.0.2.1', 'inner'],
    ['192.168.1.1', 'inner'],
    ['198.18.0.1', 'inner'],
    ['198.19.255.255', 'inner'],
    ['198.51.100.1', 'inner'],
    ['203.0.113.1', 'inner'],
    ['224.0.0.1', 'inner'],
    ['240.0.0.1', 'inner'],
    ['255.255.255.255', 'inner'],
    ['::', 'inner'],
    ['::7f00:1', 'inner'],
    ['::ffff:10.0.0.1', 'inner'],
    ['::ffff:0:7f00:1', 'inner'],
    ['64:ff9b::a00:1', 'inner'],
    ['64:ff9b:1::808:808', 'inner'],
    ['2002:7f00:1::', 'inner'],
    ['2002:808:808::', 'inner'],
    ['2001:0:7f00:1::', 'inner'],
    ['2001:2::1', 'inner'],
    ['2001:db8::1', 'inner'],
    ['3fff::1', 'inner'],
    ['fc00::1', 'inner'],
    ['fdff::1', 'inner'],
    ['fe80::1', 'inner'],
    ['fec0::1', 'inner'],
    ['ff02::1', 'inner'],
    ['100::1', 'inner'],
  ])('classifies %s as %s', (address, kind) => {
    const bytes = parseAddress(address);
    expect(bytes && addressKind(bytes)).toBe(kind);
  });

  test.each(['', 'example.com', '1.2.3', '0177.0.0.1', 'fe80::1%eth0', '1.2.3.4.5'])(
    'rejects %s as an address',
    (text) => {
      expect(parseAddress(text)).toBeNull();
    },
  );
});

describe('outgoing requests', () => {
  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/',
    'https://100.100.100.200/',
    'https://[fe80::1]/',
    'https://224.0.0.1/',
  ])('do not connect to %s, and resolve no name for it', async (url) => {
    await expect(guard('', never)(url)).rejects.toMatchObject(refusedAs(/private network|does not connect/));
  });

  test.each([
    ['a private one', ['10.0.0.1']],
    ['one of this machine', ['127.0.0.1']],
    ['an open one and a private one', ['93.184.215.14', '10.0.0.1']],
    ['one that is mapped', ['::ffff:127.0.0.1']],
    ['one with a zone', ['fe80::1%lo']],
    ['a metadata service', ['169.254.169.254']],
  ])('do not connect to a name that leads to %s', async (_what, addresses) => {
    const call = guard('', leadingTo(...addresses));
    await expect(call('https://tools.test/')).rejects.toMatchObject(refusedAs(/private network|does not connect/));
  });

  test('reject plain http, other schemes, passwords in URLs and other ports', async () => {
    const call = guard('', leadingTo('93.184.215.14'));
    await expect(call('http://tools.test/')).rejects.toMatchObject(refusedAs('must begin with https'));
    await expect(call('ftp://tools.test/')).rejects.toMatchObject(refusedAs('must begin with https'));
    await expect(call('file:///etc/passwd')).rejects.toMatchObject(refusedAs('must begin with https'));
    await expect(call('https://ada:secret@tools.test/')).rejects.toMatchObject(
      refusedAs('Leave user name and password'),
    );
    await expect(call('https://tools.test:22/')).rejects.toMatchObject(refusedAs('Port 22 of tools.test'));
  });

  test('reject http in a private network even if the operator has listed it', async () => {
    const call = guard('10.0.0.0/8', never);
    await expect(call('http://10.0.0.1/')).rejects.toMatchObject(refusedAs('must begin with https'));
  });

  test('connect to what the operator has listed: by name and port, by address, by range', async () => {
    const { port, calls } = await peer((_seen, response) => response.end('hello'));
    const onLoopback = leadingTo('127.0.0.1');
    for (const allowed of ['127.0.0.1', `127.0.0.1:${port}`, '127.0.0.0/8', `localhost:${port}, tools.test:${port}`])
      expect(await guard(allowed, onLoopback)(`http://tools.test:${port}/`), allowed).toEqual({
        status: 200,
        text: 'hello',
      });
    expect(calls).toHaveLength(4);
    for (const allowed of ['tools.test:1', 'other.test', '127.0.0.2', '10.0.0.0/8'])
      await expect(guard(allowed, onLoopback)(`http://tools.test:${port}/`), allowed).rejects.toMatchObject(
        refusedAs(`tools.test:${port} in TOOL_HOSTS_ALLOWED`),
      );
    expect(calls).toHaveLength(4);
  });

  test('reach no metadata service by a listed name or range', async () => {
    for (const allowed of ['tools.test', '169.254.0.0/16', '0.0.0.0/0'])
      await expect(guard(allowed, leadingTo('169.254.169.254'))('https://tools.test/'), allowed).rejects.toMatchObject(
        refusedAs('does not connect to'),
      );
  });

  test('connect to the checked address, even if the name changes a moment later', async () => {
    const { port, calls } = await peer((_seen, response) => {
      response.setHeader('connection', 'close');
      response.end('hello');
    });
    const answers = ['127.0.0.1', '10.0.0.1', '127.0.0.1'];
    let lookups = 0;
    const call = guard('127.0.0.0/8', async () => [{ address: answers[lookups++] ?? '', family: 4 }]);
    expect((await call(`http://tools.test:${port}/`)).text).toBe('hello');
    expect(lookups).toBe(1);
    await expect(call(`http://tools.test:${port}/`)).rejects.toMatchObject(refusedAs('https'));
    expect(lookups).toBe(2);
    expect(calls).toHaveLength(1);
  });

  test.each(['*.example.org', 'http://example.org', '10.0.0.0/33', 'a b', 'example.org/path', 'x@y', 'h:99999'])(
    'rejects %s as a host to list',
    (entry) => {
      expect(() => parseAllowedHosts(`example.org,${entry}`)).toThrow(`${entry} is not a host`);
    },
  );
});

describe('redirects', () => {
  test('are checked as new addresses', async () => {
    const { port } = await peer((_seen, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end());
    await expect(guard('127.0.0.0/8')(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(refusedAs('https'));
    const inside = await peer((_seen, response) => response.writeHead(302, { location: 'https://[::1]/' }).end());
    await expect(guard('127.0.0.0/8')(`http://127.0.0.1:${inside.port}/`)).rejects.toMatchObject(
      refusedAs('private network'),
    );
  });

  test('keep credentials within their origin only', async () => {
    const other = await peer((_seen, response) => response.end('other'));
    const first = await peer(({ url }, response) => {
      const location = url === '/start' ? '/here' : `http://127.0.0.1:${other.port}/there`;
      response.writeHead(307, { location }).end();
    });
    const { text } = await guard('127.0.0.0/8')(`http://127.0.0.1:${first.port}/start`, {
      method: 'POST',
      body: '{}',
      headers: { accept: 'text/plain' },
      credentials: { authorization: 'Bearer secret' },
    });
    expect(text).toBe('other');
    expect(first.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', 'Bearer secret']);
    expect(other.calls).toMatchObject([{ url: '/there', method: 'POST', body: '{}' }]);
    expect(other.calls[0]?.headers).not.toHaveProperty('authorization');
    expect(other.calls[0]?.headers.accept).toBe('text/plain');
  });

  test('are followed five times', async () => {
    const { port, calls } = await peer((_seen, response) => response.writeHead(302, { location: '/again' }).end());
    await expect(guard('127.0.0.1')(`http://127.0.0.1:${port}/`)).rejects.toThrow('redirects more than 5 times');
    expect(calls).toHaveLength(6);
  });

  test('are left to the caller if it asks for that', async () => {
    const { port } = await peer((_seen, response) => response.writeHead(302, { location: '/again' }).end());
    expect(await guard('127.0.0.1')(`http://127.0.0.1:${port}/`, { redirects: 'leave' })).toMatchObject({
      status: 302,
    });
  });
});

describe('other side', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  test.each<[what: string, bytes: string, message: string, withinMs?: number]>([
    ['says nothing', '', 'did not answer in time', 300],
    ['begins and stops', `${ok}content-length: 10\r\n\r\nabc`, 'did not answer in time', 300],
    ['sends large headers', `${ok}x: ${'x'.repeat(20_000)}\r\n\r\n`, 'headers that are too large'],
    ['sends no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'closed the connection'],
    ['sends too much', `${ok}content-length: 2000\r\n\r\n${'x'.repeat(2_000)}`, 'more than 1 KB'],
    ['sends without end', `${ok}\r\n${'x'.repeat(5_000)}`, 'more than 1 KB'],
    ['compresses', `${ok}content-encoding: gzip\r\ncontent-length: 0\r\n\r\n`, 'compresses its answers'],
  ])('fails the request if it %s, and may have received it', async (_what, bytes, message, withinMs = patienceMs) => {
    const { port } = await talker(bytes);
    await expect(guard('127.0.0.1')(`http://127.0.0.1:${port}/`, { withinMs })).rejects.toMatchObject({
      name: 'OutboundRequestError',
      message: expect.stringContaining(message),
      sent: true,
    });
  });

  test('fails the request if it ends before the announced length', async () => {
    const { port } = await talker(`${ok}content-length: 10\r\n\r\nabc`, (socket) => socket.end());
    await expect(guard('127.0.0.1')(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ sent: true });
  });

  test('has received nothing if it refuses connections', async () => {
    const { port } = await peer(() => undefined);
    for (const close of closing.splice(0)) await close();
    await expect(guard('127.0.0.1')(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      message: '127.0.0.1 refuses connections.',
      sent: false,
    });
  });

  test('has received nothing if its name is unknown', async () => {
    const call = guard('', () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })));
    await expect(call('https://tools.test/')).rejects.toMatchObject({
      message: 'tools.test could not be resolved.',
      sent: false,
    });
  });

  test('is awaited no longer than the caller waits', async () => {
    const { port, connections } = await talker('');
    const caller = new AbortController();
    const call = guard('127.0.0.1')(`http://127.0.0.1:${port}/`, { signal: caller.signal });
    const outcome = expect(call).rejects.toThrow();
    await expect.poll(connections).toBe(1);
    caller.abort(new Error('stopped'));
    await outcome;
  });
});
