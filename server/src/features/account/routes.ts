import { account as api } from '@roster/contracts/account';
import type { Router } from '../../http/router.ts';
import type { ModelService } from '../models/service.ts';
import type { ProviderKeyService } from './provider-key.ts';

type Dependencies = { keys: ProviderKeyService; models: Pick<ModelService, 'forget'> };

export function accountRoutes({ route }: Router, { keys, models }: Dependencies) {
  route(api.config, ({ actor }) => keys.config(actor.userId));
  route(api.saveApiKey, async ({ actor, body, request }) => {
    const config = await keys.save(actor.userId, body.apiKey);
    models.forget(actor.userId);
    request.log.info(
      { event: 'key_saved', userId: actor.userId, verified: config.apiKeyVerified },
      'provider key saved',
    );
    return config;
  });
  route(api.removeApiKey, async ({ actor, request }) => {
    await keys.remove(actor.userId);
    models.forget(actor.userId);
    request.log.info({ event: 'key_removed', userId: actor.userId }, 'provider key removed');
  });
}
