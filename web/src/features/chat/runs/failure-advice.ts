import type { RunError } from '@roster/contracts/errors';

/** Remedies for a failure. `settings`: the key; `assistant`: another assistant or model; `edit`: the question. */
export type NextStep = 'settings' | 'assistant' | 'edit' | 'again' | 'newChat';

type Advice = { hint: string; steps: readonly NextStep[] };

const advice: Record<RunError['code'], Advice> = {
  key_rejected: { hint: 'Save a working key in Settings, then try again.', steps: ['settings', 'again'] },
  key_unreadable: { hint: 'Save your key again in Settings, then try again.', steps: ['settings', 'again'] },
  no_api_key: { hint: 'Save your key in Settings, then try again.', steps: ['settings', 'again'] },
  missing_scope: {
    hint: 'Give the key this permission in your provider account, or save another key in Settings.',
    steps: ['settings', 'again'],
  },
  insufficient_quota: {
    hint: 'Add credit or raise the budget under Billing in your provider account, then try again.',
    steps: ['again'],
  },
  rate_limited: { hint: 'Wait a moment, then try again.', steps: ['again'] },
  model_not_found: {
    hint: 'Choose an assistant with another model, then try again.',
    steps: ['assistant', 'again'],
  },
  context_too_long: {
    hint: 'Shorten the question, choose a model with a larger context window, or have the earlier messages summarized and try again.',
    steps: ['edit', 'assistant', 'again'],
  },
  unsupported_parameter: {
    hint: 'Try again, or choose an assistant with other settings.',
    steps: ['assistant', 'again'],
  },
  content_filter: { hint: 'Rephrase the question.', steps: ['edit'] },
  region: { hint: 'The provider does not serve your account or this server’s region.', steps: [] },
  bad_request: { hint: 'Change the question or the assistant, or try again.', steps: ['edit', 'assistant', 'again'] },
  provider_unavailable: { hint: 'This usually passes. Try again in a moment.', steps: ['again'] },
  provider_broke_off: { hint: 'The text received so far is kept. Try again for a complete answer.', steps: ['again'] },
  provider_unreachable: {
    hint: 'Check this server’s connection and the provider’s status page, then try again.',
    steps: ['again'],
  },
  provider_timeout: { hint: 'The text received so far is kept. Try again in a moment.', steps: ['again'] },
  budget_exceeded: { hint: 'Raise the budget in Analytics, then try again.', steps: ['again'] },
  offered_budget_exceeded: {
    hint: 'Choose a model of another connection, or ask your administrator.',
    steps: ['assistant', 'again'],
  },
  interrupted: { hint: 'The text received so far is kept.', steps: ['again'] },
  internal: { hint: 'This is an error in Roster. Try again.', steps: ['again'] },
};

const askAdministrator = 'Ask your administrator, or choose another model.';

/** Failures of a connection’s key or account, if the connection is not the person’s own: only an administrator can help. */
const offeredHints: Partial<Record<RunError['code'], string>> = {
  key_rejected: askAdministrator,
  key_unreadable: askAdministrator,
  no_api_key: 'Choose another model, or ask your administrator.',
  missing_scope: askAdministrator,
  insufficient_quota: askAdministrator,
};

/** The remedies if the connection is offered by an administrator; null: they are the usual ones. */
export function adviceForOffered(code: RunError['code']): Advice | null {
  const hint = offeredHints[code];
  return hint === undefined ? null : { hint, steps: ['assistant', 'again'] };
}

export const adviceFor = (code: RunError['code']): Advice => advice[code];

/** Splits off the first sentence; the rest is the provider's message. */
export function splitMessage(message: string): { title: string; rest: string } {
  const match = /^(.{4,120}?[.!?…])\s+(.+)$/su.exec(message.trim());
  return match?.[1] && match[2] ? { title: match[1], rest: match[2] } : { title: message.trim(), rest: '' };
}
