// The floor of an exchange that stores a message and its answer: one commit for the question, relaying the provider's
// answer, one commit for the answer. Configured by PORT, UPSTREAM_PORT and FILE.
import { Agent, createServer, request } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const agent = new Agent({ keepAlive: true });
const upstreamPort = Number(process.env.UPSTREAM_PORT);
const database = new DatabaseSync(process.env.FILE ?? ':memory:');
database.exec('pragma journal_mode = wal; pragma synchronous = full');
database.exec('create table messages (id integer primary key, text not null)');
const insert = database.prepare('insert into messages (text) values (?)');

const server = createServer((incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const question: Buffer[] = [];
  const answer: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => question.push(chunk));
  incoming.on('end', () => {
    const body = Buffer.concat(question);
    insert.run(body.toString());
    const upstream = request({ agent, host: '127.0.0.1', port: upstreamPort, method, path: url, headers }, (from) => {
      outgoing.writeHead(from.statusCode ?? 502, from.headers);
      from.on('data', (chunk: Buffer) => {
        answer.push(chunk);
        outgoing.write(chunk);
      });
      from.on('end', () => {
        insert.run(Buffer.concat(answer).toString());
        outgoing.end();
      });
    });
    upstream.on('error', () => outgoing.destroy());
    upstream.end(body);
  });
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
