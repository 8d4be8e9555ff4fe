// Calls of the last release on tables that this one has changed, while both run. Rewritten for each release.
import { request } from 'node:http';

/** Uses the balancer's name, but bypasses it. */
function send(url, method, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export const caller = (url, origin, { cookie }) =>
  async function call(method, path, body) {
    const headers = {
      host: new URL(origin).host,
      origin,
      'sec-fetch-site': 'same-origin',
      cookie: cookie(),
      // Node.js adds no length to the body of a DELETE.
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(JSON.stringify(body)) }),
    };
    const { status, text } = await send(`${url}${path}`, method, headers, body && JSON.stringify(body));
    if (status >= 400) throw new Error(`${method} ${path} at ${url}: ${status} ${text}`);
    return text && JSON.parse(text);
  };

/** Creates a comparison, asks it and votes, through a process of the last release. */
export async function oldCalls(url, origin, person) {
  const call = caller(url, origin, person);
  const path = '/api/fine-tuning/comparisons';
  const prompts = { typed: ['What is a fox?'] };
  const { id } = await call('POST', path, { tunedModel: 'gpt-4o-mini', baseModel: 'gpt-4o', prompts });
  const {
    items: [prompt],
  } = await call('GET', `${path}/${id}`);
  await call('POST', `${path}/${id}/prompts/${prompt.id}/ask`, {});
  for (let isOver = false; !isOver; ) {
    const { items } = await call('GET', `${path}/${id}`);
    isOver = items.every(({ tuned, base }) => tuned?.state === 'complete' && base?.state === 'complete');
  }
  await call('POST', `${path}/${id}/prompts/${prompt.id}/vote`, { vote: 'tuned' });
  return id;
}

/** The problems seen through a process of this tree. */
export async function newCalls(url, origin, person, id) {
  const { title, answered, tally, items } = await caller(url, origin, person)('GET', `/api/comparisons/${id}`);
  const found = JSON.stringify([title, answered, tally.candidate, items[0].vote]);
  const expected = JSON.stringify(['gpt-4o-mini and gpt-4o', 1, 1, 'candidate']);
  return found === expected ? [] : [`A comparison of the last release shows ${found}`];
}
