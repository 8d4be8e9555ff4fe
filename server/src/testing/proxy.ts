import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** The response to a CONNECT: passed on, rejected with a status, or never answered. */
type Manner = 'pass' | 'hang' | 'drip' | number;

/** A proxy that supports CONNECT only. `leadTo` returns the real address, since test names have none. */
export async function startProxy({
  credentials,
  leadTo = (address: string) => address,
}: {
  credentials?: string;
  leadTo?: (address: string) => string;
} = {}) {
  const requests: string[] = [];
  const open = new Set<Socket>();
  const state: { manner: Manner } = { manner: 'pass' };
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  };
  const server = createServer((_request, response) => {
    requests.push('not by CONNECT');
    response.writeHead(501).end();
  });
  server.on('connection', keep);
  server.on('connect', (request, near: Socket) => {
    const to = request.url ?? '';
    requests.push(to);
    const basic = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (basic && request.headers['proxy-authorization'] !== basic)
      return near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (state.manner === 'hang') return;
    if (state.manner === 'drip') return void near.write('HTTP/1.1 200 ');
    if (state.manner !== 'pass') return near.end(`HTTP/1.1 ${state.manner} No\r\n\r\n`);
    const { hostname, port } = new URL(`http://${leadTo(to)}`);
    const far = connect(Number(port || 80), hostname, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    keep(far);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo | { port: number } = Object(server.address());
  return {
    url: `http://${credentials ? `${credentials}@` : ''}127.0.0.1:${port}`,
    /** The addresses of its CONNECT requests. */
    asked: requests,
    state,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
