import { z } from 'zod';
import { defineJob } from '#server/jobs/define';

const userId = z.number().int();
const Visitor = z.object({ userAgent: z.string().nullable(), ipAddress: z.string() });

/** Whom a mail is about and what, never a token. */
export const MailPayload = z.discriminatedUnion('template', [
  /** Anyone may ask about any address: whether there is an account shows only when the job runs. */
  z.object({ template: z.literal('reset_requested'), email: z.string(), visitor: Visitor.optional() }),
  z.object({
    template: z.literal('set_password'),
    userId,
    /** Who made the account, as its new owner knows them. */
    invitedBy: z.string().optional(),
    askedBy: z.enum(['self', 'administrator']).default('administrator'),
  }),
  z.object({ template: z.literal('confirm_email'), userId }),
  /** To the address that the account is to have, and to the one that it has. */
  z.object({ template: z.enum(['new_address', 'new_address_asked']), userId, email: z.string() }),
  z.object({ template: z.literal('address_changed'), before: z.string(), email: z.string() }),
  z.object({ template: z.literal('password_changed'), userId }),
  z.object({
    template: z.enum(['login_method_connected', 'login_method_disconnected']),
    userId,
    provider: z.enum(['google', 'github']),
  }),
  z.object({
    template: z.literal('models_end'),
    userId,
    /** In the order of their days. */
    models: z.array(
      z.object({
        model: z.string(),
        shutdownDate: z.string(),
        successor: z.string().nullable(),
        assistants: z.number().int(),
      }),
    ),
    /** Models that are not named. */
    more: z.number().int(),
  }),
  z.object({ template: z.literal('account_closed'), email: z.string() }),
]);
export type MailPayload = z.output<typeof MailPayload>;

/** A mail to a user. */
export const mailJob = defineJob({ name: 'mail', payload: MailPayload });

/**
 * The same, of a template that the version before does not know. It would give up a job of its own kind that it cannot read;
 * one of another kind it leaves for later, and so to a process of this version.
 */
export const newMailJob = defineJob({ name: 'mail.models-end', payload: MailPayload });
