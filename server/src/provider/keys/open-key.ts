import type { Secret } from '#server/security/secret';

/**
 * Opens the key that answers with a model: that of the model's connection; null or without a connection, that of the
 * installation's provider. @throws AppError no_api_key, key_unreadable, offered_budget_exceeded
 */
export type OpenKey = (userId: number, model: string | null) => Promise<Secret>;
