import { connections } from '@roster/contracts/connections/connections';
import type { RunError } from '@roster/contracts/errors';
import { test } from 'vitest';
import { page } from 'vitest/browser';
import { answer } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectCount, expectText } from '#web/testing/page.ts';

const shown = page.getByRole('article', { name: 'Answer' });

/** An answer by a model of connection 9, of which the person owns connection 7. */
function openFailed(code: RunError['code'], connectionId: number) {
  open('/chat/1', {
    answers() {
      const error = { code, message: 'The provider rejected the API key. Invalid API Key' };
      oneAnswer({ state: 'failed', text: '', model: `@${connectionId}/llama`, error });
      answer(connections.list, {
        policy: 'listed',
        connections: [
          {
            ...{ id: 7, preset: 'groq', name: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', hasKey: true },
            ...{
              keyLast4: '4321',
              headerNames: [],
              api: 'auto',
              firstTokenSeconds: null,
              isPaused: false,
              notice: null,
              checks: [],
            },
            ...{ checkedAt: null, createdAt: fixtureDate },
          },
        ],
        offered: [{ id: 9, preset: 'groq', name: 'Team', monthlyUsd: null, spentUsd: 0, isUsedUp: false }],
      });
    },
  });
}

const settings = shown.getByRole('link', { name: /Settings/ });

test('names the administrator if an offered connection’s key is rejected', async () => {
  openFailed('key_rejected', 9);
  await expectText(shown, /Ask your administrator, or choose another model\./);
  await expectCount(settings, 0);
});

test('leads to Settings if the key of one’s own connection is rejected', async () => {
  openFailed('key_rejected', 7);
  await expectText(shown, /Save a working key in Settings, then try again\./);
  await expectCount(settings, 1);
});
