import { openDatabase } from '../server/src/db/connect.ts';
import { userRepository } from '../server/src/features/auth/shared/repository.ts';
import { sessionService } from '../server/src/http/sessions/sessions.ts';

const atOnce = 8;

/** Creates signed-in users as the server stores them, without hashing passwords. Returns their session tokens. */
export async function signInMany(url: string, folder: string, count: number): Promise<string[]> {
  const database = openDatabase(url, folder);
  const users = userRepository(database.db);
  const sessions = sessionService(database.db, () => undefined);
  const tokens: string[] = [];
  let next = 0;
  async function work() {
    while (next < count) {
      const email = `one-of-many-${next++}@example.com`;
      const account = { email, name: null, passwordHash: null, emailVerified: true };
      const user = await users.insert({ ...account, role: 'Editor', createdAt: new Date().toISOString() });
      if (!user) throw new Error(`${email} is taken`);
      tokens.push(await sessions.start(user.id, { ipAddress: '127.0.0.1', userAgent: null }));
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  await database.close();
  return tokens;
}
