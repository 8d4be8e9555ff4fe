export type ModelEntry = {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
  shutdown_date: string | null;
};

/** The end of gpt-4o and gpt-4.1, and with them of every model fine-tuned from them. */
export const TUNED_SHUTDOWN = '2027-01-14';

/** Replaces the announced days, so that nothing that uses these models depends on the current day. */
export const FAR_SHUTDOWN = '2099-12-31';

/** Release days are plausible rather than looked up; shutdown days are the announced ones. */
const RELEASED: readonly [id: string, released: string, shutdown: string | null, owner?: string][] = [
  ['gpt-4o-mini-2024-07-18', '2024-07-16', TUNED_SHUTDOWN],
  ['text-embedding-3-small', '2024-01-22', null],
  ['gpt-6-luna', '2026-08-18', null],
  ['gpt-5-mini', '2025-08-05', '2026-12-11'],
  ['tts-1-hd', '2023-11-03', null],
  ['gpt-5.4', '2026-03-05', null],
  ['gpt-realtime-2', '2026-05-05', null],
  ['gpt-6.1-terra', '2026-10-27', null],
  ['gpt-4.1-mini-2025-04-14', '2025-04-10', TUNED_SHUTDOWN],
  ['o3', '2025-04-09', '2026-12-11'],
  ['whisper-1', '2023-02-27', null, 'openai-internal'],
  ['gpt-5.6-terra', '2026-07-02', null],
  ['gpt-6-astra', '2026-09-17', null],
  ['omni-moderation-latest', '2024-11-15', null],
  ['gpt-4o', '2024-05-10', TUNED_SHUTDOWN],
  ['gpt-5-nano', '2025-08-05', '2026-12-11'],
  ['gpt-5.6-sol', '2026-07-02', null],
  ['gpt-image-2', '2026-04-21', null],
  ['gpt-4.1', '2025-04-10', TUNED_SHUTDOWN],
  ['gpt-5.4-mini', '2026-03-17', null],
  ['gpt-5.3-codex', '2026-02-05', null],
  ['gpt-6.1-sol', '2026-10-27', null],
  ['gpt-4o-2024-08-06', '2024-08-04', TUNED_SHUTDOWN],
  ['text-embedding-3-large', '2024-01-22', null],
  ['gpt-5.1', '2025-11-11', '2027-04-01'],
  ['gpt-audio-2', '2026-05-05', null],
  ['o3-pro', '2025-05-28', '2026-12-11'],
  ['gpt-5.4-nano', '2026-03-17', '2027-04-01'],
  ['gpt-4.1-2025-04-14', '2025-04-10', TUNED_SHUTDOWN],
  ['gpt-6-sol', '2026-08-18', null],
  ['gpt-4o-mini', '2024-07-16', TUNED_SHUTDOWN],
  ['gpt-5.5', '2026-04-23', null],
  ['gpt-5', '2025-08-05', '2026-12-11'],
  ['gpt-4o-transcribe', '2025-03-15', null],
  ['gpt-5.6-luna', '2026-07-02', null],
  ['gpt-5-search-api', '2025-10-01', null],
  ['gpt-5.2', '2025-12-09', null],
  ['gpt-4.1-mini', '2025-04-10', TUNED_SHUTDOWN],
  ['gpt-5-pro', '2025-10-03', '2026-12-11'],
  ['chat-latest', '2026-08-18', null],
  ['sora-2', '2025-10-06', null],
  ['gpt-3.5-turbo-instruct', '2023-08-24', null],
];

export const LINE_UP: readonly ModelEntry[] = RELEASED.map(([id, released, shutdown, owner]) => ({
  id,
  object: 'model',
  created: Date.parse(`${released}T00:00:00Z`) / 1_000,
  owned_by: owner ?? 'system',
  shutdown_date: shutdown,
}));

/** The base models that could still be trained in November 2026. */
export const TRAINABLE: { [name: string]: string } = {
  'gpt-4.1': 'gpt-4.1-2025-04-14',
  'gpt-4.1-2025-04-14': 'gpt-4.1-2025-04-14',
  'gpt-4.1-mini': 'gpt-4.1-mini-2025-04-14',
  'gpt-4.1-mini-2025-04-14': 'gpt-4.1-mini-2025-04-14',
  'gpt-4o': 'gpt-4o-2024-08-06',
  'gpt-4o-2024-08-06': 'gpt-4o-2024-08-06',
  'gpt-4o-mini': 'gpt-4o-mini-2024-07-18',
  'gpt-4o-mini-2024-07-18': 'gpt-4o-mini-2024-07-18',
};
