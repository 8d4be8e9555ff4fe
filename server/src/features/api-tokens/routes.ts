import { apiTokens as api } from '@roster/contracts/api-tokens';
import type { Router } from '#server/http/app-router/router';
import { visitorOf } from '#server/http/user-agent';
import type { ApiTokenService } from './service.ts';

export function apiTokenRoutes({ route }: Router, tokens: ApiTokenService) {
  route(api.list, ({ actor }) => tokens.list(actor));
  route(api.create, ({ actor, body, request }) => tokens.create(actor, body, visitorOf(request)));
  route(api.createTrial, ({ actor, request }) => tokens.createTrial(actor, visitorOf(request)));
  route(api.revoke, ({ actor, params, request }) => tokens.revoke(actor, params.id, visitorOf(request)));
}
