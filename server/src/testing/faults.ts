import type { Fault } from '@roster/simulator/faults/fault';
import type { FaultMatch } from '@roster/simulator/faults/fault-list';
import { request } from 'undici';
import type { TestApp } from './app.ts';

/** The provider misbehaves while `work` runs. */
export async function withFault<T>(
  { provider }: Pick<TestApp, 'provider'>,
  fault: Fault,
  match: FaultMatch,
  work: () => Promise<T>,
): Promise<T> {
  const address = `${provider.origin}/__simulator/faults`;
  const headers = { 'content-type': 'application/json' };
  const response = await request(address, { method: 'POST', headers, body: JSON.stringify({ fault, match }) });
  if (response.statusCode !== 201) throw new Error(`The simulator refused the fault: ${await response.body.text()}`);
  await response.body.dump();
  try {
    return await work();
  } finally {
    await request(address, { method: 'DELETE' });
  }
}
