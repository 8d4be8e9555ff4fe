import { notFound } from '../http/errors.ts';
import { newId } from '../state/identifiers.ts';

export type ContainerFile = { id: string; name: string; created_at: number };
export type Container = { id: string; owner: string; created_at: number; files: ContainerFile[] };

const KEPT_MS = 20 * 60_000;
const MOST = 1_000;

/**
 * The containers in which code runs. One that is not used expires after twenty minutes, and none outlives the
 * simulator.
 */
export class Containers {
  readonly #open = new Map<string, { container: Container; usedMs: number }>();

  make(owner: string, names: readonly string[], nowMs: number): Container {
    const created_at = Math.floor(nowMs / 1_000);
    const files = names.map((name) => ({ id: newId('cfile_'), name, created_at }));
    const container = { id: newId('cntr_'), owner, created_at, files };
    this.#open.set(container.id, { container, usedMs: nowMs });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST && oldest !== undefined) this.#open.delete(oldest);
    return container;
  }

  of(owner: string, id: string, nowMs: number): Container {
    const found = this.#open.get(id);
    if (found === undefined || found.container.owner !== owner || nowMs > found.usedMs + KEPT_MS)
      throw notFound(`Container with id '${id}' not found.`, 'container_id');
    found.usedMs = nowMs;
    return found.container;
  }

  remove(id: string): void {
    this.#open.delete(id);
  }
}
