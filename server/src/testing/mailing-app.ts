import type { Engine } from '#server/db/connect';
import { startApp } from './app.ts';
import { startMailServer } from './mail.ts';

/** The product with its own mail server. */
export async function startMailingApp(engine: Engine) {
  const mails = await startMailServer();
  const app = await startApp(engine, { env: mails.env });
  return {
    app,
    mails,
    async stop() {
      await app.stop();
      await mails.stop();
    },
  };
}
