import { start } from './app/start.ts';
import { loadConfig, secretVariables } from './config/config.ts';
import { StartupError, UnavailableError } from './lib/errors.ts';
import { collectAfterStart, growHeapByAQuarter } from './lib/garbage-collector.ts';
import { version } from './lib/version.ts';
import { createLog } from './logging/log.ts';

/** A little less than the time that systemd, containers and Kubernetes are configured to wait. */
const stopWithinMs = 34_000;

// Everything created from here on, including the database, is readable by its owner only, even in a folder that is open
// to others.
process.umask(0o077);

try {
  const config = loadConfig(process.env);
  // From here on secrets exist only in their wrappers; printing the environment reveals none.
  for (const name of secretVariables) delete process.env[name];
  const { log, flush } = createLog(config.logLevel);
  process.on('uncaughtException', (error) => log.error({ err: error }, 'uncaught exception'));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

  const running = await start(config, log);
  log.info({ version, url: config.publicUrl.origin }, 'Roster is ready');
  collectAfterStart();
  growHeapByAQuarter();
  if (process.stdout.isTTY) console.log(`\n  Roster is ready at ${config.publicUrl.origin}\n`);
  if (running.setupCode)
    console.log(
      `Set-up code for the first account: ${running.setupCode}\nRegister with it at ${config.publicUrl.origin}/auth: that account is the administrator.`,
    );

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    log.info('stopping');
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    await running.stop();
    await flush();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
} catch (error) {
  if (error instanceof UnavailableError) console.error(`The ${error.part} cannot be used: ${error.message}.`);
  else console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
}
