import type { Usage } from '../generation/usage.ts';
import { TRAINABLE } from '../models/line-up.ts';
import type { Storage } from '../state/storage.ts';

const FILE = 'organization-usage.json';

/** The usage of one model on one UTC day, for all keys together. */
export type DayOfModel = {
  /** YYYY-MM-DD. */
  day: string;
  model: string;
  requests: number;
  input: number;
  cached: number;
  cacheWrites: number;
  output: number;
  /** Tokens that fine-tuning jobs trained on: they cost, but are not requests. */
  trained: number;
};

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The provider records usage under the dated name behind a model's short name. */
const dated = (model: string) => TRAINABLE[model] ?? model;

/** The organization's usage: every key of this simulator belongs to it. */
export class Ledger {
  readonly #storage: Storage;
  readonly #outlivesProcess: boolean;
  #days: Promise<Map<string, DayOfModel>> | undefined;
  #writing: Promise<void> | undefined;
  #isWriteAwaited = false;

  constructor(storage: Storage, outlivesProcess: boolean) {
    this.#storage = storage;
    this.#outlivesProcess = outlivesProcess;
  }

  /** The days that start between two moments. */
  async days(fromMs: number, endMs: number): Promise<DayOfModel[]> {
    const all = [...(await this.#read()).values()];
    return all.filter(({ day }) => Date.parse(day) >= fromMs && Date.parse(day) < endMs);
  }

  async answered(ms: number, model: string, usage: Usage): Promise<void> {
    const { input, cached, cacheWrites, output } = usage;
    await this.#add(ms, model, { requests: 1, input, cached, cacheWrites, output, trained: 0 });
  }

  async trained(ms: number, model: string, tokens: number): Promise<void> {
    await this.#add(ms, model, { requests: 0, input: 0, cached: 0, cacheWrites: 0, output: 0, trained: tokens });
  }

  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #read(): Promise<Map<string, DayOfModel>> {
    this.#days ??= this.#storage.read(FILE).then((stored) => {
      const entries: DayOfModel[] = stored === null ? [] : JSON.parse(stored.toString('utf8'));
      return new Map(entries.map((entry) => [`${entry.day} ${entry.model}`, entry]));
    });
    return this.#days;
  }

  async #add(ms: number, named: string, more: Omit<DayOfModel, 'day' | 'model'>): Promise<void> {
    const days = await this.#read();
    const [day, model] = [dayOf(ms), dated(named)];
    const entry = days.get(`${day} ${model}`);
    days.set(`${day} ${model}`, {
      day,
      model,
      requests: (entry?.requests ?? 0) + more.requests,
      input: (entry?.input ?? 0) + more.input,
      cached: (entry?.cached ?? 0) + more.cached,
      cacheWrites: (entry?.cacheWrites ?? 0) + more.cacheWrites,
      output: (entry?.output ?? 0) + more.output,
      trained: (entry?.trained ?? 0) + more.trained,
    });
    if (this.#outlivesProcess) this.#write(days);
  }

  /** Many answers end at a time; those that end during one write go into the next. */
  #write(days: Map<string, DayOfModel>): void {
    if (this.#writing !== undefined) {
      this.#isWriteAwaited = true;
      return;
    }
    this.#isWriteAwaited = false;
    this.#writing = this.#storage
      .write(FILE, Buffer.from(JSON.stringify([...days.values()])))
      .catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
      })
      .then(() => {
        this.#writing = undefined;
        if (this.#isWriteAwaited) this.#write(days);
      });
  }
}
