import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '#server/config/config';
import { openDatabase, verifyDatabase } from '#server/db/connect';
import { migrate } from '#server/db/migrate';
import { joinInstances } from '#server/db/presence';
import type { Synchronous } from '#server/db/sqlite';
import { failureReason, StartupError } from '#server/lib/errors';
import { rememberMasterKey, verifyMasterKey } from '#server/security/key-check';
import { rewrapKeys } from '#server/security/key-rotation';
import { createVault } from '#server/security/vault';
import { createApp } from './create-app.ts';
import type { ForTests } from './services.ts';

async function listen(app: Awaited<ReturnType<typeof createApp>>['app'], { port, host }: Config): Promise<string> {
  try {
    return await app.listen({ port, host });
  } catch (cause) {
    throw new StartupError(
      `Port ${port} of ${host} cannot be used: ${failureReason(cause)}. Stop the program that uses it, or set PORT to another one.`,
      { cause },
    );
  }
}

/** Checks, recovers, then listens. If a step fails, everything opened before is closed. */
export async function start(
  config: Config,
  log: FastifyBaseLogger,
  { synchronous, ...forTests }: ForTests & { synchronous?: Synchronous } = {},
) {
  function onDiskFailure(error: unknown) {
    log.fatal({ err: error }, 'disk failure; stopping so that no unsaved data is acknowledged');
    process.exit(70);
  }
  const database = openDatabase(config.databaseUrl, config.dataDir, onDiskFailure, synchronous);
  try {
    await verifyDatabase(database);
    const vault = createVault(config.masterKeys);
    await verifyMasterKey(database.db, vault);
    const applied = await migrate(database);
    if (applied.length > 0) log.info({ applied }, 'database schema migrated');
    const { rewrapped, unreadable } = await rewrapKeys(database.db, vault);
    await rememberMasterKey(database.db, vault);
    if (rewrapped > 0) log.info({ rewrapped }, 'data keys re-encrypted with the current master key');
    if (unreadable.length > 0)
      log.error(
        { userIds: unreadable },
        'the provider keys of these users cannot be decrypted with the configured master keys; nothing was changed',
      );
    for (const { text } of config.warnings) log.warn(text);
    if (database.file && (statSync(database.file).mode & 0o077) !== 0)
      log.warn(`other users of this machine can read the database; fix it with: chmod 600 '${database.file}'*`);
    const setupCode = randomBytes(16).toString('base64url');
    const presence = await joinInstances(database, config.databaseDirectUrl, (error) =>
      log.error({ err: error }, 'database signals'),
    );
    const running = await createApp({ config, database, presence, log, setupCode, ...forTests });
    await running.recover();
    const address = await listen(running.app, config);
    running.open();
    return {
      address,
      endpoints: running.endpoints,
      apiEndpoints: running.apiEndpoints,
      /** Set while the first account of an installation outside loopback is missing. */
      setupCode: (await running.needsSetupCode()) ? setupCode : undefined,
      async stop() {
        await running.close();
        await presence.leave();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
