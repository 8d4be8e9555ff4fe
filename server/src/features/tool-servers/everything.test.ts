import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { freePort } from '#server/testing/free-port';
import { addToolServer, chooseAll, withToolBox } from '#server/testing/tool-servers';

/** The official example server, in its own process. */
async function startEverything() {
  const port = await freePort();
  const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const server = spawn(process.execPath, [main, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const listens = Promise.withResolvers<void>();
  server.stderr.on('data', (text) => String(text).includes('listening') && listens.resolve());
  server.on('exit', (code) => listens.reject(new Error(`server-everything ended with ${code}`)));
  await listens.promise;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      server.removeAllListeners('exit');
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
  };
}

describe.each(engines)('the official example server on %s', (engine) => {
  let app: TestApp;
  let everything: Awaited<ReturnType<typeof startEverything>>;
  beforeAll(async () => {
    [everything, app] = await Promise.all([
      startEverything(),
      startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } }),
    ]);
  });
  afterAll(async () => {
    await app.stop();
    await everything.stop();
  });

  test('lists, chooses and calls its tools', async () => {
    const ada = await app.as('ada');
    const server = await addToolServer(ada, everything.url);
    expect(server).toMatchObject({ state: 'ready', notice: null });
    const assistantId = await createAssistant(ada);
    expect((await chooseAll(ada, assistantId, server.id)).status).toBe(200);
    const { id: userId } = (await ada.get('/api/user')).body;
    await withToolBox(app, async (box) => {
      const tools = new Map((await box.offered(userId, assistantId)).map((tool) => [tool.tool, tool]));
      const call = async (name: string, input: Record<string, unknown>) => {
        const tool = tools.get(name);
        if (!tool) throw new Error(`${name} is not among ${[...tools.keys()].join(', ')}`);
        return box.call(userId, tool, input, new AbortController().signal);
      };
      expect(await call('echo', { message: 'Hello' })).toEqual({ text: 'Echo: Hello', isError: false });
      expect((await call('get-sum', { a: 2, b: 3 })).text).toContain('5');
      expect((await call('get-tiny-image', {})).text).toMatch(/\[image, \d+ (bytes|KB)\]/);
      expect((await call('get-structured-content', { location: 'Chicago' })).text).toContain('temperature');
      expect(await call('get-sum', { a: 'two' })).toMatchObject({ isError: true });
    });
  });
});
