import { apiRelays as api } from '@roster/contracts/public-api/relays';
import type { Feature } from '#server/features/feature';
import { estimateInputTokens } from '#server/features/public-api/shared/input-tokens';
import { relayKinds } from './kinds.ts';
import { relayService } from './service.ts';

/** Calls that only the provider can answer: embeddings, images, sounds, moderation, older completions. */
export function relayFeature(dependencies: Parameters<typeof relayService>[0]): Feature {
  const relays = relayService(dependencies);
  return {
    apiRoutes({ rawRoute, uploadRoute }) {
      rawRoute(api.embeddings, (call) =>
        relays.json(call, relayKinds.embeddings, {
          inputTokens: estimateInputTokens([call.body.input]),
          streams: false,
        }),
      );
      rawRoute(api.moderations, (call) =>
        relays.json(call, relayKinds.moderations, {
          inputTokens: estimateInputTokens([call.body.input]),
          streams: false,
        }),
      );
      rawRoute(api.completions, (call) =>
        relays.json(call, relayKinds.completions, {
          inputTokens: estimateInputTokens([call.body.prompt]),
          streams: call.body.stream === true,
        }),
      );
      rawRoute(api.images, (call) =>
        relays.json(call, relayKinds.images, { inputTokens: 0, streams: call.body.stream === true }),
      );
      rawRoute(api.speech, (call) =>
        relays.json(call, relayKinds.speech, { inputTokens: 0, streams: call.body.stream_format === 'sse' }),
      );
      uploadRoute(api.transcriptions, (call) => relays.form(call, relayKinds.transcriptions));
    },
  };
}
