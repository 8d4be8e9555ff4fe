import { expect, test } from 'vitest';
import { engines } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { killableInstallation, registered } from '#server/testing/crash';
import { withDatabase } from '#server/testing/database';
import { newClient, recorded } from '#server/testing/responses';

const long = [{ role: 'user' as const, content: '[[bench 40000]] [[delay 20]]' }];

test.each(engines)(
  'counts answers ended by a crash once, as far as known, and frees their budget, on %s',
  async (engine) => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const visitor = await registered(server, 'ada');
    await createAssistant(visitor, { name: 'Tutor', model: 'gpt-4o', instructions: 'Teach.' });
    const { id, client } = await newClient(server, visitor, { monthlyBudgetUsd: 1 });
    const answers = await Promise.all(
      ['gpt-4o', 'Tutor@roster'].map(async (model) => {
        const chunks = (await client.chat.completions.create({ model, messages: long, stream: true }))[
          Symbol.asyncIterator
        ]();
        // The first words.
        await chunks.next();
        await chunks.next();
        return chunks;
      }),
    );
    await server.kill();
    for (const chunks of answers) {
      const rest = async () => {
        while (!(await chunks.next()).done);
      };
      await expect(rest()).rejects.toThrow();
    }
    const open = await withDatabase(app, (db) => db.selectFrom('api_calls').select('id').execute());
    expect(open).toHaveLength(2);

    await server.start();
    const records = await recorded(app, id);
    expect(records.map(({ model, estimated, output_tokens: out }) => [model, estimated, out])).toEqual([
      ['gpt-4o', 1, 0],
      ['gpt-4o', 1, 0],
    ]);
    expect(records.filter(({ assistant_id: of }) => of !== null)).toHaveLength(1);
    expect(records.every(({ input_tokens: tokens, cost_usd: cost }) => tokens > 0 && Number(cost) > 0)).toBe(true);
    const after = await client.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(after.choices).toHaveLength(1);
    await server.kill();
    await server.start();
    expect(await recorded(app, id)).toHaveLength(3);
  },
);
