import { createHash } from 'node:crypto';
import { type Account, type AccountState, emptyAccount } from './account.ts';
import type { Storage } from './storage.ts';

/** One account per key, read from storage on first use. */
export class Accounts {
  readonly #storage: Storage;
  readonly #open = new Map<string, Promise<Account>>();
  readonly #writes = new Map<string, Promise<void>>();
  readonly #outlivesProcess: boolean;

  constructor(storage: Storage, outlivesProcess: boolean) {
    this.#storage = storage;
    this.#outlivesProcess = outlivesProcess;
  }

  of(key: string): Promise<Account> {
    const id = createHash('sha256').update(key).digest('hex').slice(0, 24);
    let account = this.#open.get(id);
    if (account === undefined) {
      account = this.#read(id);
      this.#open.set(id, account);
    }
    return account;
  }

  async #read(id: string): Promise<Account> {
    const stored = await this.#storage.read(`account-${id}.json`);
    if (stored === null) return emptyAccount(id);
    const state: AccountState = JSON.parse(stored.toString('utf8'));
    return { ...emptyAccount(id), ...state };
  }

  /** Writes run one after the other, so that an older state cannot overwrite a newer one. */
  async save(account: Account): Promise<void> {
    if (!this.#outlivesProcess) return;
    const before = this.#writes.get(account.id) ?? Promise.resolve();
    const write = before.then(() => {
      // There are many answers, and the provider deletes them soon too.
      const state: Account = { ...account, responses: [] };
      return this.#storage.write(`account-${account.id}.json`, Buffer.from(JSON.stringify(state)));
    });
    this.#writes.set(
      account.id,
      write.catch(() => undefined),
    );
    await write;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#writes.values());
  }

  readFile(id: string): Promise<Buffer | null> {
    return this.#storage.read(`content-${id}`);
  }

  writeFile(id: string, content: Buffer): Promise<void> {
    return this.#storage.write(`content-${id}`, content);
  }

  removeFile(id: string): Promise<void> {
    return this.#storage.remove(`content-${id}`);
  }
}
