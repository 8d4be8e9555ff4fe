import { connect } from 'node:net';
import { freePort } from '../server/src/testing/free-port.ts';
import type { Environment } from './environment.ts';
import type { Member } from './postgres-member.ts';
import { createPart } from './processes.ts';

/** One entry for users, to any ready process, and one for the current primary of the database. */
export async function haproxy(
  { folder, programs, as, writeFile }: Environment,
  members: Pick<Member, 'name' | 'port' | 'restPort'>[],
  rosterPorts: number[],
) {
  const [people, primary] = [await freePort(), await freePort()];
  const servers = (name: string, more: string) =>
    rosterPorts.map((port, index) => `  server ${name}-${index + 1} 127.0.0.1:${port}${more}`).join('\n');
  const settings = `
global
  maxconn 4000
defaults
  timeout connect 2s
  timeout http-request 15s
  option redispatch 1
  retries 3

listen primary
  mode tcp
  bind 127.0.0.1:${primary}
  timeout client 1h
  timeout server 1h
  option httpchk GET /primary
  # Who is the primary no longer is left at once by all who are connected to it.
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(({ name, port, restPort }) => `  server ${name} 127.0.0.1:${port} check port ${restPort}`).join('\n')}

frontend people
  mode http
  bind 127.0.0.1:${people}
  timeout client 120s
  http-request del-header X-Forwarded-For
  option forwardfor
  default_backend roster

backend roster
  mode http
  balance leastconn
  timeout server 120s
  # Only what has not reached a process is sent to another one: nothing is asked for twice.
  retry-on conn-failure
  option httpchk GET /readyz
  default-server check inter 1s fall 2 rise 1
${servers('roster', '')}
  # Where none is ready, as without a database, they say so themselves, with a sentence and when to come back.
  option allbackups
${servers('unready', ' no-check backup')}
`;
  const file = writeFile('haproxy.cfg', settings);
  const command = { name: 'haproxy', path: programs.path('haproxy'), args: ['-db', '-f', file], folder, as };
  return { people, primary, ...createPart(command, () => accepts(people)) };
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
