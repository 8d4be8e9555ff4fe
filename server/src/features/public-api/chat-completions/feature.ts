import { apiChatCompletions as api } from '@roster/contracts/public-api/chat-completions';
import type { Feature } from '#server/features/feature';
import { chatCompletionService } from './service.ts';

/** POST /v1/chat/completions. */
export const chatCompletionFeature = (dependencies: Parameters<typeof chatCompletionService>[0]): Feature => ({
  apiRoutes: ({ rawRoute }) => rawRoute(api.create, chatCompletionService(dependencies)),
});
