import { start } from '#server/app/start';
import { loadConfig } from '#server/config/config';
import { createLog } from '#server/logging/log';

/** A server started like main.ts, for which it is noon of the day in TODAY. */
const noon = Date.parse(`${process.env.TODAY}T12:00:00Z`);
const config = loadConfig(process.env);
const { log } = createLog(config.logLevel);
const running = await start(config, log, { now: () => noon });
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)));
