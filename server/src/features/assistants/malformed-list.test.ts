import { expect, onTestFinished, test } from 'vitest';
import { beforeAnyEnd, engines, startApp } from '#server/testing/app';

/** The provider is not trusted: entries of its list may have any shape. */
test.each(engines)('imports the other entries of the provider’s list if some are broken, on %s', async (engine) => {
  const agents = [
    { id: 'agent_Number', model: 5, name: 'Number' },
    { id: 'agent_Nothing' },
    {
      id: 'agent_Odd',
      model: 'gpt-4o\0',
      name: 'Odd\0 one',
      instructions: 'Be\0 odd',
      description: null,
      tools: 'all of them',
      tool_resources: { file_search: { vector_store_ids: ['vs_\0', 7] }, code_interpreter: [] },
      metadata: ['a'],
      reasoning: 7,
      text: null,
      temperature: 2,
    },
    { id: 'not an id', model: 'gpt-4o', name: 'Foreign' },
  ];
  const app = await startApp(engine, { now: beforeAnyEnd, simulator: { assistants: [], agents } });
  onTestFinished(() => app.stop());
  const ada = await app.withKey('ada');
  const { status, body: candidates } = await ada.post('/api/assistants/fetch-from-openai', {});
  expect([status, candidates.length]).toEqual([200, 4]);
  const notes = new Map(candidates.map((one: { id: string; notes: string[] }) => [one.id, one.notes]));
  expect(notes.get('agent_Number')).toEqual(['It cannot be imported: Model is missing.']);
  expect(notes.get('not an id')).toEqual(['It cannot be imported: Its id has an unknown form.']);
  expect(notes.get('agent_Odd')).toEqual(['Settings made by programs cannot be imported.']);

  const assistantIds = ['agent_Number', 'agent_Nothing', 'agent_Odd'];
  const { body } = await ada.post('/api/assistants/import-batch-from-openai', { assistantIds });
  expect(body.imported).toHaveLength(1);
  expect(body.imported[0]).toMatchObject({
    name: 'Odd one',
    model: 'gpt-4o',
    instructions: 'Be odd',
    temperature: 2,
  });
  expect(body.failed).toEqual([
    { id: 'agent_Number', name: 'Number', reason: 'Model is missing.' },
    { id: 'agent_Nothing', name: null, reason: 'Model is missing.' },
  ]);
});
