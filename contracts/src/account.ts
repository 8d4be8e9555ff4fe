import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from './endpoint.ts';
import { modelReferenceLimit } from './model-text.ts';
import { isLanguageTag, isTimeZone } from './text/locale.ts';

/** Finds mistyped keys of OpenAI itself. Only a call to the provider shows whether a key works. */
export const openAiKeyPattern = /^sk-[A-Za-z0-9_-]{32,509}$/;
export const keyFormatMessage = "Invalid API Key format - should start with 'sk-' followed by at least 32 characters";

/**
 * A provider key as typed: trimmed, printable ASCII, at most 512 characters. The required prefix depends on the
 * provider.
 */
export const ApiKey = z
  .string()
  .max(1024, 'The API Key cannot exceed 512 characters')
  .trim()
  .min(1, 'API Key is required')
  .max(512, 'The API Key cannot exceed 512 characters')
  .regex(/^[\x21-\x7e]*$/, 'The API Key can contain only letters, digits and symbols, without spaces');

export const UserConfig = z.object({
  hasApiKey: z.boolean(),
  apiKeyAddedAt: Time.nullable(),
  apiKeyLast4: z.string().nullable(),
  /** false: the provider could not be reached when the key was saved, or has rejected it since. */
  apiKeyVerified: z.boolean(),
  /** A notice about the key, in the provider’s own words where there are any. */
  apiKeyNotice: z.string().nullable(),
});
export type UserConfig = z.output<typeof UserConfig>;

const themes = ['light', 'dark', 'system'] as const;
const Theme = z.enum(themes);

/** A color as the pickers return it. No other text ever reaches a style. */
const Color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'Enter a color as # and six hexadecimal digits')
  .transform((color) => color.toLowerCase());

/** Colors that a user may choose, with the pickers’ initial values. */
export const colorDefaults = {
  backgroundColor: '#000000',
  foregroundColor: '#ffffff',
  primaryColor: '#3b82f6',
  accentColor: '#f97316',
  cardColor: '#1e1e1e',
} as const;
export type ColorName = keyof typeof colorDefaults;

/** The user's place and language, as the browser knows them. The page saves them by itself. */
export const Locale = z.strictObject({
  timeZone: z.string().max(64, 'This time zone is too long').refine(isTimeZone, 'This is not the name of a time zone'),
  language: z.string().max(64, 'This language is too long').refine(isLanguageTag, 'This is not a language tag'),
});
export type Locale = z.output<typeof Locale>;

const SavedColor = z.string().nullable();
export const Preferences = z.object({
  theme: Theme,
  notificationsEnabled: z.boolean(),
  soundEnabled: z.boolean(),
  /** Sends mails about retiring models. */
  modelMails: z.boolean(),
  /** The model that titles conversations; null: the cheapest; empty: none, titles are the first words. */
  titleModel: z.string().nullable(),
  /** The IANA name, as the browser last named it; null: unknown. */
  timeZone: z.string().nullable(),
  /** The BCP 47 tag, as the browser last named it; null: unknown. */
  language: z.string().nullable(),
  customColors: z.boolean(),
  /** All colors are null while `customColors` is false. */
  backgroundColor: SavedColor,
  foregroundColor: SavedColor,
  primaryColor: SavedColor,
  accentColor: SavedColor,
  cardColor: SavedColor,
});
export type Preferences = z.output<typeof Preferences>;

/** Preferences of an account that has saved none. */
export const defaultPreferences: Preferences = {
  theme: 'dark',
  notificationsEnabled: true,
  soundEnabled: true,
  modelMails: true,
  titleModel: null,
  timeZone: null,
  language: null,
  customColors: false,
  backgroundColor: null,
  foregroundColor: null,
  primaryColor: null,
  accentColor: null,
  cardColor: null,
};

/** Colors are not stored while `customColors` is false. */
export const PreferencesInput = z.strictObject({
  theme: Theme,
  notificationsEnabled: z.boolean(),
  soundEnabled: z.boolean(),
  /** Left out: unchanged. */
  modelMails: z.boolean().optional(),
  titleModel: z.string().max(modelReferenceLimit, 'Model cannot exceed 200 characters').nullish(),
  /** Not saved by this call: accepted, so that a response can be sent back. */
  timeZone: z.string().max(64).nullish(),
  language: z.string().max(64).nullish(),
  customColors: z.boolean(),
  backgroundColor: Color.nullable(),
  foregroundColor: Color.nullable(),
  accentColor: Color.nullable(),
  primaryColor: Color.nullable().optional(),
  cardColor: Color.nullable().optional(),
});

/** Security events of an account. They never contain its data. */
export const securityEvents = [
  'account_created',
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'session_ended',
  'other_sessions_ended',
  'reset_requested',
  'password_set',
  'password_changed',
  'email_confirmed',
  'login_method_connected',
  'login_method_disconnected',
  'login_method_refused',
  'api_key_saved',
  'api_key_removed',
  'connection_added',
  'connection_key_replaced',
  'connection_key_removed',
  'connection_headers_changed',
  'connection_removed',
  'connection_offered',
  'connection_offer_changed',
  'connection_offer_removed',
  'admin_key_saved',
  'admin_key_removed',
  'access_token_created',
  'access_token_revoked',
  'access_tokens_revoked',
  'data_exported',
  'details_changed',
  'role_changed',
  'status_changed',
  'reset_link_made',
  'login_link_made',
  'email_change_requested',
  'email_changed',
  'signed_out_everywhere',
  'second_factor_added',
  'second_factor_removed',
  'second_factor_reset',
  'second_factor_required',
  'recovery_codes_made',
  'recovery_code_used',
  'invitation_sent',
  'invitation_revoked',
  'account_closed',
] as const;
export const SecurityEventKind = z.enum(securityEvents);
export type SecurityEventKind = z.output<typeof SecurityEventKind>;

export const SecurityEvent = z.object({
  id: Id,
  event: SecurityEventKind,
  /** The user, an administrator, or the operator by a command on the server. */
  by: z.enum(['self', 'administrator', 'operator']),
  /** '{browser} on {OS}'; null: no browser was involved. */
  device: z.string().nullable(),
  ipAddress: z.string().nullable(),
  /** Describes the change, for people: 'Google', 'Editor to Admin'. Never a secret. */
  detail: z.string().nullable(),
  at: Time,
});
export type SecurityEvent = z.output<typeof SecurityEvent>;

/** A page of a list, newest first. `cursor`: the previous page’s `nextCursor`. */
export const EventsQuery = z.strictObject({
  limit: positiveInteger(100).default(25),
  cursor: z.string().max(200).optional(),
});

/** A notice that the account’s owner has to confirm reading. */
const AccountNotice = z.object({
  id: Id,
  /** A link that sets the password of the account, or signs in to it, was shown to another person. */
  kind: z.enum(['reset_link_shown', 'login_link_shown']),
  /** The administrator who saw it; null: the operator. */
  doneBy: z.string().nullable(),
  at: Time,
});

export const AccountDeletion = z.strictObject({
  /** Required if the account has one; otherwise the sign-in must be less than ten minutes old. */
  password: z.string().max(1024, 'Password cannot exceed 256 characters').optional(),
  /** Removes the user’s objects at the provider first; otherwise they stay there. */
  removeAtProvider: z.boolean().optional(),
});

export const account = {
  version: endpoint({
    method: 'GET',
    path: '/api/version',
    access: 'user',
    beforeSetup: true,
    summary: 'Returns the version of Roster.',
    output: z.object({ version: z.string() }),
  }),
  preferences: endpoint({
    method: 'GET',
    path: '/api/settings/preferences',
    access: 'user',
    beforeSetup: true,
    summary: 'Returns the display and notification preferences of the account.',
    output: Preferences,
  }),
  savePreferences: endpoint({
    method: 'POST',
    path: '/api/settings/preferences',
    access: 'user',
    summary: 'Saves the display and notification preferences; other devices apply them at their next load.',
    body: PreferencesInput,
    output: Preferences,
  }),
  saveLocale: endpoint({
    method: 'POST',
    path: '/api/settings/locale',
    access: 'user',
    summary: 'Saves the time zone and the language of the browser, for variables in instructions.',
    body: Locale,
    output: NoContent,
    status: 204,
  }),
  securityEvents: endpoint({
    method: 'GET',
    path: '/api/user/security-events',
    access: 'user',
    summary: 'Lists the security events of the account, newest first.',
    query: EventsQuery,
    output: z.object({ items: z.array(SecurityEvent), nextCursor: z.string().nullable() }),
  }),
  notices: endpoint({
    method: 'GET',
    path: '/api/user/notices',
    access: 'user',
    summary: 'Lists the notices that the owner of the account has not dismissed yet, oldest first.',
    output: z.array(AccountNotice),
  }),
  dismissNotice: endpoint({
    method: 'POST',
    path: '/api/user/notices/:id/dismiss',
    access: 'user',
    summary: 'Dismisses a notice.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
  exportData: endpoint({
    method: 'GET',
    path: '/api/user/export',
    access: 'user',
    fresh: true,
    rate: 'keyUse',
    summary: 'Downloads all data of the account as one ZIP archive; docs/user/export-format.md describes it.',
    output: NoContent,
    respondsWith: 'bytes',
  }),
  closeAccount: endpoint({
    method: 'DELETE',
    path: '/api/user',
    access: 'user',
    rate: 'resetAttempt',
    summary: 'Closes the account and deletes all of its data.',
    body: AccountDeletion,
    output: NoContent,
    status: 204,
  }),
  config: endpoint({
    method: 'GET',
    path: '/api/user/config',
    access: 'user',
    summary: 'Returns whether a provider key is saved, and what is known about it. Never returns the key.',
    output: UserConfig,
  }),
  saveApiKey: endpoint({
    method: 'POST',
    path: '/api/settings/apikey',
    access: 'user',
    rate: 'keyUse',
    summary: 'Tries the key with the provider and stores it encrypted. A rejected key is not stored.',
    body: z.strictObject({ apiKey: ApiKey }),
    output: UserConfig,
  }),
  removeApiKey: endpoint({
    method: 'DELETE',
    path: '/api/settings/apikey',
    access: 'user',
    summary: 'Removes the saved key.',
    output: NoContent,
    status: 204,
  }),
};
