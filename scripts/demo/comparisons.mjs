import { until } from './calls.mjs';
import { baseModel, comparison, hotline } from './story.mjs';

/** The trained model beside its base model, with the person's votes. */
export async function compareModels({ call }) {
  const { questions, votes } = comparison;
  const [{ model }] = await call('GET', '/api/fine-tuning/models/custom');
  const models = { candidateModel: model, baselineModel: baseModel };
  const typed = questions.map(({ question }) => question);
  const { id } = await call('POST', '/api/comparisons', { ...models, prompts: { typed } });
  await call('POST', `/api/comparisons/${id}/start`, {});
  const { items } = await until('a comparison', async () => {
    const found = await call('GET', `/api/comparisons/${id}`);
    return found.state === 'idle' && found.answered === found.prompts && found;
  });
  for (const [index, vote] of votes.entries())
    await call('POST', `/api/comparisons/${id}/prompts/${items[index].id}/vote`, { vote });
}

/** Two runs of a set of questions, the second with a judge. */
export async function runTestSets({ call, ids }) {
  const assistantId = ids.assistants.get('Support desk');
  const questions = hotline
    .slice(0, 6)
    .map(({ question, answer }) => ({ kind: 'typed', text: question, expected: answer }));
  const set = await call('POST', `/api/assistants/${assistantId}/test-sets`, { name: 'Hotline questions', questions });
  const runSet = async (body) => {
    const { id } = await call('POST', `/api/test-sets/${set.id}/runs`, body);
    await until('a test run', async () => {
      const { run } = await call('GET', `/api/test-runs/${id}`);
      return run.state === 'idle' && run.answered === run.prompts && !run.isJudging;
    });
    return id;
  };
  const { version } = set.assistant;
  const baseline = await runSet({ candidate: { kind: 'version', version }, baseline: { kind: 'nothing' } });
  await runSet({
    candidate: { kind: 'model', model: 'gpt-6-luna' },
    baseline: { kind: 'run', runId: baseline },
    judge: { model: 'gpt-6.1-sol', criteria: 'The answer is right, complete and short.' },
  });
}
