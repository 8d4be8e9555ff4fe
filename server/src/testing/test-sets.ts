import type { TestRun, TestSetDetail } from '@roster/contracts/comparisons/test-sets';
import type { HttpClient } from './http-client.ts';
import { until } from './until.ts';

export const setsPath = (assistantId: number) => `/api/assistants/${assistantId}/test-sets`;
export const setPath = (id: number) => `/api/test-sets/${id}`;
export const typed = (...texts: string[]) => texts.map((text) => ({ kind: 'typed', text }));

/** Saves a test set of an assistant. */
export async function newSet(visitor: HttpClient, assistantId: number, questions: object[]): Promise<TestSetDetail> {
  const { status, body } = await visitor.post(setsPath(assistantId), { name: 'Basics', questions });
  if (status !== 201) throw new Error(`No test set: ${status} ${JSON.stringify(body)}`);
  return body;
}

export const versionOne = { candidate: { kind: 'version', version: 1 }, baseline: { kind: 'nothing' } };

export const runOf = (visitor: HttpClient, setId: number, run: object = versionOne) =>
  visitor.post(`${setPath(setId)}/runs`, run);

/** Waits until a run neither asks nor judges any more. */
export const untilRunEnds = (visitor: HttpClient, id: number) =>
  until('The end of the run', async () => {
    const { status, body } = await visitor.get(`/api/test-runs/${id}`);
    if (status !== 200) throw new Error(`No run: ${status} ${JSON.stringify(body)}`);
    const run: TestRun = body.run;
    return run.state === 'idle' && !run.isJudging && run;
  });

/** Runs a test set and waits for the end. */
export async function runTestSet(visitor: HttpClient, setId: number, run: object = versionOne): Promise<TestRun> {
  const { status, body } = await runOf(visitor, setId, run);
  if (status !== 201) throw new Error(`Not run: ${status} ${JSON.stringify(body)}`);
  return untilRunEnds(visitor, body.id);
}
