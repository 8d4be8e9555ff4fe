// The floor of a relay: forwards every byte without reading it. Configured by PORT and UPSTREAM_PORT.
import { Agent, createServer, request } from 'node:http';

const agent = new Agent({ keepAlive: true });
const upstreamPort = Number(process.env.UPSTREAM_PORT);

const server = createServer((incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const upstream = request({ agent, host: '127.0.0.1', port: upstreamPort, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
