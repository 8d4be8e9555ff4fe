import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readToolCommands } from '#server/config/tool-commands';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { setUser } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { chooseAll, untilDiscovered, withToolBox } from '#server/testing/tool-servers';
import { until } from '#server/testing/until';

const path = '/api/tool-servers';
const never = new AbortController().signal;

/** A server on its standard streams that does what its tools are named for. */
const peer = `
const text = (said) => ({ content: [{ type: 'text', text: said }] });
let calls = 0;
const does = {
  pid: () => text(process.pid + ' ' + ++calls),
  env: () => text(Object.keys(process.env).sort().join(' ')),
  die: () => process.exit(1),
  hang: () => undefined,
  flood: () => text('x'.repeat(2_000_000)),
};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } }),
  'tools/list': () => ({ tools: Object.keys(does).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name }) => does[name](),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (result) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;

const folder = mkdtempSync(join(tmpdir(), 'commands-'));
const file = join(folder, 'commands.json');
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
writeFileSync(
  file,
  JSON.stringify({
    peer: { command: process.execPath, args: ['-e', peer], env: { GIVEN: 'by-the-operator' } },
    everything: { command: process.execPath, args: [everything, 'stdio'] },
    missing: { command: '/nowhere/at/all' },
  }),
);
afterAll(() => rmSync(folder, { recursive: true }));

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.each(engines)('commands as tool servers on %s', (engine) => {
  let app: TestApp;
  let admin: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine, { env: { TOOL_COMMANDS: file } });
    admin = await app.as('admin');
  });
  afterAll(() => app.stop());

  test('gives commands a minute to start, however soon other servers must answer', async () => {
    const impatient = await startApp(engine, { env: { TOOL_COMMANDS: file }, toolTimes: { lookMs: 1 } });
    const owner = await impatient.as('admin');
    const { body } = await owner.post(`${path}/commands`, { name: 'peer', command: 'peer' });
    expect(await untilDiscovered(owner, body.id)).toMatchObject({ state: 'ready', notice: null });
    await impatient.stop();
  });

  const added = async (command: string, more = {}) => {
    const { status, body } = await admin.post(`${path}/commands`, { name: command, command, ...more });
    expect(status).toBe(201);
    return untilDiscovered(admin, body.id);
  };

  /** Calls its tools one after the other, in its own process. */
  async function calling<T>(
    person: HttpClient,
    serverId: number,
    work: (call: (name: string) => Promise<{ text: string }>) => Promise<T>,
    times = {},
  ): Promise<T> {
    const assistantId = await createAssistant(person);
    await chooseAll(person, assistantId, serverId, 'never');
    const { id: userId } = (await person.get('/api/user')).body;
    return withToolBox(
      app,
      async (box) => {
        const offered = await box.offered(userId, assistantId);
        return work(async (name) => {
          const tool = offered.find(({ tool: own }) => own === name);
          if (!tool) throw new Error(`${name} is not offered`);
          return box.call(userId, tool, {}, never);
        });
      },
      { commands: file, times },
    );
  }
  const pidOf = async (call: (name: string) => Promise<{ text: string }>) => {
    const [pid, calls] = (await call('pid')).text.split(' ').map(Number);
    return { pid: pid ?? 0, calls };
  };

  test('lets the operator name them, and only administrators choose them', async () => {
    expect((await admin.get(`${path}/commands`)).body).toEqual(['everything', 'missing', 'peer']);
    expect((await admin.post(`${path}/commands`, { name: 'Shell', command: '/bin/sh' })).status).toBe(404);
    const ada = await app.as('ada');
    expect((await ada.get(`${path}/commands`)).status).toBe(403);
    expect((await ada.post(`${path}/commands`, { name: 'Peer', command: 'peer' })).status).toBe(403);
    expect((await ada.post(path, { name: 'Peer', kind: 'command', url: 'command:peer' })).status).toBe(400);
    const server = await added('peer');
    expect(server).toMatchObject({ kind: 'command', url: 'command:peer', state: 'ready', tools: 5 });
    for (const changes of [{ url: 'https://tools.example.org/mcp' }, { auth: { type: 'none' } }])
      expect((await admin.patch(`${path}/${server.id}`, changes)).status).toBe(409);
    expect((await admin.patch(`${path}/${server.id}`, { name: 'Renamed', isOn: false })).status).toBe(200);
  });

  test('lists and calls the tools of the official example server', async () => {
    const server = await added('everything', { isOffered: true });
    expect(server).toMatchObject({ state: 'ready', notice: null });
    const bea = await app.as('bea');
    await calling(bea, server.id, async (call) => {
      expect((await call('get-tiny-image')).text).toMatch(/\[image, \d+ (bytes|KB)\]/);
    });
  });

  test('hides Roster’s variables from them, keeps them for the next call, one for each user', async () => {
    const { id } = await added('peer', { isOffered: true });
    const variables = await calling(admin, id, async (call) => {
      const first = await pidOf(call);
      expect(await pidOf(call)).toEqual({ pid: first.pid, calls: 2 });
      const names = (await call('env')).text.split(' ');
      expect(isAlive(first.pid)).toBe(true);
      return { names, pid: first.pid };
    });
    expect(variables.names).toContain('GIVEN');
    expect(
      variables.names.filter((name) => !/^(GIVEN|HOME|LOGNAME|PATH|SHELL|TERM|USER|PWD|SHLVL|_)$/.test(name)),
    ).toEqual([]);
    expect(isAlive(variables.pid)).toBe(false);
    const cem = await app.as('cem');
    await calling(cem, id, async (call) => expect((await pidOf(call)).calls).toBe(1));
  });

  test('fails the call of one that dies, hangs or says too much, and starts it again', async () => {
    const { id } = await added('peer');
    const ended = { message: 'The command ended before it had answered.', mayHaveRun: true };
    await calling(admin, id, async (call) => {
      const first = await pidOf(call);
      await expect(call('die')).rejects.toMatchObject(ended);
      const second = await pidOf(call);
      expect(second.pid).not.toBe(first.pid);
      expect(second.calls).toBe(1);
      await expect(call('flood')).rejects.toMatchObject(ended);
      expect((await pidOf(call)).calls).toBe(1);
    });
    await calling(
      admin,
      id,
      async (call) => {
        const first = await pidOf(call);
        const late = { message: 'The command did not answer in time, and was ended.', mayHaveRun: true };
        await expect(call('hang')).rejects.toMatchObject(late);
        await until('The end of the process', async () => !isAlive(first.pid));
        expect((await pidOf(call)).pid).not.toBe(first.pid);
      },
      { callMs: 3_000 },
    );
  });

  test('ends them when nobody has called them for a while', async () => {
    const { id } = await added('peer');
    await calling(
      admin,
      id,
      async (call) => {
        const { pid } = await pidOf(call);
        await until('The end of the process', async () => !isAlive(pid));
        expect((await pidOf(call)).calls).toBe(1);
      },
      { idleMs: 50 },
    );
  });

  test('reports one that cannot be started', async () => {
    expect(await added('missing')).toMatchObject({
      state: 'failed',
      notice: 'The command missing could not be started. Roster’s operator can look into it.',
    });
  });

  test('stops running one whose owner is no longer an administrator', async () => {
    const eve = await app.as('eve');
    await setUser(app, 'eve@example.com', { role: 'Admin' });
    const { body } = await eve.post(`${path}/commands`, { name: 'Peer', command: 'peer' });
    await untilDiscovered(eve, body.id);
    const assistantId = await createAssistant(eve);
    await chooseAll(eve, assistantId, body.id, 'never');
    await setUser(app, 'eve@example.com', { role: 'Editor' });
    const { id: userId } = (await eve.get('/api/user')).body;
    expect(await withToolBox(app, (box) => box.offered(userId, assistantId), { commands: file })).toEqual([]);
    await eve.post(`${path}/${body.id}/refresh`);
    expect(await untilDiscovered(eve, body.id)).toMatchObject({
      state: 'failed',
      notice: 'Commands run for administrators only.',
    });
  });
});

test('says what is wrong with the file of commands', () => {
  const wrong = (text: string) => () => {
    const other = join(folder, 'wrong.json');
    writeFileSync(other, text);
    return readToolCommands(other);
  };
  expect(readToolCommands(undefined).size).toBe(0);
  expect(wrong('{"a":{"command":""}}')).toThrow('a.command');
  expect(wrong('{"a":{"command":"x","shell":true}}')).toThrow('a: Unrecognized key');
  expect(wrong('{"../a":{"command":"x"}}')).toThrow('Invalid key');
  expect(wrong('[]')).toThrow('the file');
  expect(wrong('no')).toThrow('JSON');
});
