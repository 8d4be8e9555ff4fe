import { auth as api } from '@roster/contracts/auth';
import type { Router } from '#server/http/app-router/router';
import { clientNetwork } from '#server/http/client-network';
import { visitorOf } from '#server/http/user-agent';
import type { ChangeEmailService } from './change-email.ts';
import type { ConfirmationService } from './confirmation.ts';
import type { PasswordService } from './passwords.ts';

type Dependencies = { passwords: PasswordService; confirmation: ConfirmationService; newAddress: ChangeEmailService };

export function passwordRoutes({ route, publicRoute }: Router, { passwords, confirmation, newAddress }: Dependencies) {
  publicRoute(api.requestReset, ({ body, request }) => passwords.requestReset(body.email, visitorOf(request)));
  publicRoute(api.resetPassword, async ({ body, request }) => {
    await passwords.reset(body, visitorOf(request)).catch((error: unknown) => {
      request.log.warn({ event: 'password_reset_failed', address: clientNetwork(request) }, 'password reset failed');
      throw error;
    });
    request.log.info({ event: 'password_set', userId: body.userId }, 'password set with a link');
  });
  route(api.changePassword, async ({ actor, body, request }) => {
    await passwords.change(actor, body, visitorOf(request)).catch((error: unknown) => {
      const address = clientNetwork(request);
      request.log.warn({ event: 'password_change_failed', address, userId: actor.userId }, 'password change failed');
      throw error;
    });
    request.log.info({ event: 'password_changed', userId: actor.userId }, 'password changed');
  });
  route(api.changeEmail, async ({ actor, body, request }) => {
    await newAddress.ask(actor, body, visitorOf(request));
    request.log.info({ event: 'email_change_requested', userId: actor.userId }, 'change of email address requested');
  });
  route(api.requestConfirmation, ({ actor }) => confirmation.request(actor));
  route(api.confirmEmail, async ({ actor, body, request }) => {
    const user = await confirmation.confirm(actor, body, visitorOf(request));
    request.log.info({ event: 'email_confirmed', userId: actor.userId }, 'email address confirmed');
    return user;
  });
}
