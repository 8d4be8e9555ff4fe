import { apiChatCompletions as api } from '@roster/contracts/openai-api/chat-completions';
import type { Feature } from '#server/feature';
import { apiCalls } from '#server/features/openai-api/calls';
import type { OpenCalls } from '#server/http/open-calls';
import { assistantSettings } from './assistant.ts';
import { chatCompletionService } from './service.ts';

type Dependencies = Parameters<typeof apiCalls>[0] &
  Omit<Parameters<typeof assistantSettings>[0], 'vectorStores'> &
  Omit<Parameters<typeof chatCompletionService>[0], 'settingsOf' | 'calls' | 'openCalls'> & {
    provider: Parameters<typeof chatCompletionService>[0]['provider'] &
      Pick<Parameters<typeof assistantSettings>[0], 'vectorStores'>;
    openCalls: OpenCalls;
  };

const recoverEveryMs = 5_000;

/** POST /v1/chat/completions. */
export function chatCompletionFeature(dependencies: Dependencies): Feature {
  const calls = apiCalls(dependencies);
  const { vectorStores } = dependencies.provider;
  const complete = chatCompletionService({
    ...dependencies,
    calls,
    settingsOf: assistantSettings({ ...dependencies, vectorStores }),
  });
  return {
    apiRoutes: ({ rawRoute }) => rawRoute(api.create, complete),
    recover: calls.recover,
    upkeep: [{ everyMs: recoverEveryMs, run: calls.recover }],
    close: async () => dependencies.openCalls.close(),
  };
}
