import { LoginProvider } from '@roster/contracts/auth';
import { z } from 'zod';
import { defineJob } from '#server/jobs/define';

const userId = z.number().int();
const Visitor = z.object({ userAgent: z.string().nullable(), ipAddress: z.string() });

/** Identifies recipient and subject, never contains a token. */
export const MailPayload = z.discriminatedUnion('template', [
  /** Anyone may ask about any address: only when the job runs does it show whether there is an account. */
  z.object({ template: z.literal('reset_requested'), email: z.string(), visitor: Visitor.optional() }),
  z.object({
    template: z.literal('set_password'),
    userId,
    /** The creator of the account, by the name that the new owner knows. */
    invitedBy: z.string().optional(),
    askedBy: z.enum(['self', 'administrator']).default('administrator'),
  }),
  z.object({ template: z.literal('confirm_email'), userId }),
  /** To the new address of the account, and to the current one. */
  z.object({ template: z.enum(['new_address', 'new_address_asked']), userId, email: z.string() }),
  z.object({ template: z.literal('address_changed'), before: z.string(), email: z.string() }),
  z.object({ template: z.literal('password_changed'), userId }),
  z.object({
    template: z.enum(['login_method_connected', 'login_method_disconnected']),
    userId,
    provider: LoginProvider,
    /** Its name for people; left out for Google and GitHub. */
    name: z.string().optional(),
  }),
  z.object({
    template: z.literal('models_end'),
    userId,
    /** Sorted by date. */
    models: z.array(
      z.object({
        model: z.string(),
        shutdownDate: z.string(),
        successor: z.string().nullable(),
        assistants: z.number().int(),
      }),
    ),
    /** Number of further models. */
    more: z.number().int(),
  }),
  /** `version`: counts how often the invitation was sent. */
  z.object({ template: z.literal('invited'), invitationId: z.number().int(), version: z.number().int() }),
  z.object({ template: z.literal('account_closed'), email: z.string() }),
  z.object({
    template: z.literal('second_factor'),
    userId,
    change: z.enum(['added', 'removed', 'reset', 'recovery_code_used', 'recovery_codes_made']),
    /** The factor that was added or removed, after 'a' or 'an': 'authenticator app'. */
    factor: z.string().max(200).optional(),
    /** Recovery codes that are left. */
    left: z.number().int().optional(),
  }),
]);
export type MailPayload = z.output<typeof MailPayload>;

/** A mail to a user. */
export const mailJob = defineJob({ name: 'mail', payload: MailPayload });

/**
 * The same for a template that the previous version does not know. That version fails jobs of its own kind that it
 * cannot read, but leaves unknown kinds to a process of this version.
 */
export const retirementMailJob = defineJob({ name: 'mail.models-end', payload: MailPayload });
export const secondFactorMailJob = defineJob({ name: 'mail.second-factor', payload: MailPayload });
export const openIdMailJob = defineJob({ name: 'mail.open-id', payload: MailPayload });
export const invitationMailJob = defineJob({ name: 'mail.invitation', payload: MailPayload });
