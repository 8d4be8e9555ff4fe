import type { UsageRequest } from '@roster/contracts/usage/usage';
import { aroundToday } from './days.ts';
import type { HttpClient } from './http-client.ts';

/** The latest requests, newest first. */
export async function requestsOf(visitor: HttpClient): Promise<UsageRequest[]> {
  const { status, body } = await visitor.get(`/api/analytics/requests?${aroundToday()}&limit=100`);
  if (status !== 200) throw new Error(`No requests: ${status} ${JSON.stringify(body)}`);
  return body.items;
}
