import { expect, test } from 'vitest';
import { startApp } from '#server/testing/app';
import { startDescribedService } from '#server/testing/described-service';
import { serverNow, untilDiscovered } from '#server/testing/tool-servers';

const path = '/api/tool-servers';
const operations = 12_000;
const key = (at: number) => `GET /things/${at}`;
const description = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'http://127.0.0.1:1' }],
  paths: Object.fromEntries(
    Array.from({ length: operations }, (_, at) => [
      `/things/${at}`,
      { get: { summary: `Operation ${at}`, description: 'x'.repeat(1_500), responses: {} } },
    ]),
  ),
};

test('reads a description of almost 20 MB while others are answered', async () => {
  const service = await startDescribedService();
  const app = await startApp('sqlite', { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' }, toolTimes: { lookMs: 600_000 } });
  try {
    await app.as('admin');
    const ada = await app.as('ada');
    const bob = await app.as('bob');
    const large = JSON.stringify(description);
    expect(large.length).toBeGreaterThan(19_000_000);
    service.describe = (_seen, response) => response.end(large);
    const body = { name: 'Large', description: { type: 'address', url: service.descriptionUrl } };
    const { id } = (await ada.post(`${path}/openapi`, body)).body;
    let answered = 0;
    while ((await serverNow(ada, id))?.state === 'waiting') if ((await bob.get(path)).status === 200) answered++;
    expect(answered).toBeGreaterThan(5);
    expect(await serverNow(ada, id)).toMatchObject({ state: 'ready', tools: 500 });
    await ada.post(`${path}/${id}/operations`, { operations: [key(operations - 1)] });
    expect((await untilDiscovered(ada, id)).tools).toBe(1);
  } finally {
    await app.stop();
    await service.close();
  }
});
