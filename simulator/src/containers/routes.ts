import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Fault } from '../faults/fault.ts';
import { wait } from '../generation/pacing.ts';
import { notFound } from '../http/errors.ts';
import { page, pageQuery } from '../http/paging.ts';
import type { World } from '../world.ts';
import type { Container, ContainerFile } from './containers.ts';
import { contentOf } from './generated-content.ts';

type ById = { Params: { id: string } };
type ByFile = { Params: { id: string; fileId: string } };

function shown({ id, created_at }: Container) {
  const expires_after = { anchor: 'last_active_at', minutes: 20 };
  return { id, object: 'container', created_at, status: 'running', expires_after, name: 'auto' };
}

function shownFile(container: Container, { id, name, created_at }: ContainerFile) {
  const path = `/mnt/data/${name}`;
  const bytes = contentOf(name).length;
  return { id, object: 'container.file', created_at, bytes, container_id: container.id, path, source: 'assistant' };
}

/** Sends as much as a fault lets through, under the full length. */
async function sendAs(fault: Fault, reply: FastifyReply, content: Buffer): Promise<void> {
  const { call } = reply.request;
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': content.length });
  raw.flushHeaders();
  const until = Math.min(content.length, fault.dropAfter ?? fault.hangAfter ?? content.length);
  const step = fault.tokenDelayMs === undefined ? Math.max(1, until) : 1;
  for (let at = 0; at < until && !call.signal.aborted; at += step) {
    raw.write(content.subarray(at, Math.min(at + step, until)));
    if (fault.tokenDelayMs !== undefined) await wait(fault.tokenDelayMs, call.signal);
  }
  if (fault.hangAfter !== undefined) return;
  if (fault.dropAfter === undefined) return void raw.end();
  call.broken = true;
  raw.destroy();
}

export function containerRoutes(app: FastifyInstance, world: World): void {
  const containerOf = (owner: string, id: string) => world.containers.of(owner, id, world.clock.now());
  function fileOf(owner: string, { id, fileId }: ByFile['Params']) {
    const container = containerOf(owner, id);
    const file = container.files.find((candidate) => candidate.id === fileId);
    if (file === undefined) throw notFound(`Container file with id '${fileId}' not found.`, 'file_id');
    return { container, file };
  }

  app.get<ById>('/containers/:id', ({ call, params }) => shown(containerOf(call.account.id, params.id)));

  app.delete<ById>('/containers/:id', ({ call, params }) => {
    const { id } = containerOf(call.account.id, params.id);
    world.containers.remove(id);
    return { id, object: 'container.deleted', deleted: true };
  });

  app.get<ById>('/containers/:id/files', ({ call, params, query }) => {
    const container = containerOf(call.account.id, params.id);
    const files = container.files.map((file) => shownFile(container, file));
    return page(files, pageQuery(query, { usual: 20, most: 100 }));
  });

  app.get<ByFile>('/containers/:id/files/:fileId', ({ call, params }) => {
    const { container, file } = fileOf(call.account.id, params);
    return shownFile(container, file);
  });

  app.get<ByFile>('/containers/:id/files/:fileId/content', async ({ call, params }, reply) => {
    const content = contentOf(fileOf(call.account.id, params).file.name);
    const { tokenDelayMs, dropAfter, hangAfter } = call.fault;
    if (tokenDelayMs === undefined && dropAfter === undefined && hangAfter === undefined)
      return reply.header('content-type', 'application/octet-stream').send(content);
    await sendAs(call.fault, reply, content);
    return reply;
  });
}
