import { startRawProvider } from './raw-provider.ts';

const chunk = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

/** A provider that answers “Hi.” to everything and states what each call costs. */
export const startPricedProvider = (cost: () => unknown, models: Parameters<typeof startRawProvider>[1] = ['gpt-4o']) =>
  startRawProvider((_path, body) => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: cost() };
    if (!body.includes('"stream":true')) {
      const message = { role: 'assistant', content: 'Hi.' };
      return {
        headers: { 'content-type': 'application/json' },
        packets: [JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage })],
      };
    }
    return {
      packets: [
        chunk({ choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: null }] }),
        chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        chunk({ choices: [], usage }),
        'data: [DONE]\n\n',
      ],
    };
  }, models);
