import { type Ability, type AbilityCheck, abilities } from '@roster/contracts/connections/connections';
import type { ConnectionKey } from '#server/provider/connections/connection-key';
import type { Preset } from '#server/provider/connections/presets';
import type { ProviderModel } from '#server/provider/provider';
import { filterChatModels } from '#server/provider/resources/chat-models';
import { ProviderError } from '#server/provider/transport/error';
import { answerProbes, type ProbeResult, probeAnswer } from './probes.ts';
import { probeEmbeddings, probeFiles, probeFineTuning } from './resource-probes.ts';

/** Milliseconds for the list, the first answer and all others, which run side by side: a person waits for the sum. */
type CheckTimes = { listMs: number; answerMs: number; othersMs: number };
const usualTimes: CheckTimes = { listMs: 8_000, answerMs: 25_000, othersMs: 20_000 };

const reasonLimit = 500;

/** PostgreSQL's text type cannot store U+0000. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed().slice(0, reasonLimit).toWellFormed();

const tooLate = (ms: number) =>
  `No answer within ${Math.round(ms / 1000)} seconds. A server of your own may be loading the model: check again in a moment.`;

/** Runs one probe. A peer that hangs costs the limit and nothing more. */
async function within(ms: number, probe: (signal: AbortSignal) => Promise<ProbeResult>): Promise<ProbeResult> {
  const controller = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<ProbeResult>();
  const timer = setTimeout(() => {
    resolve({ result: 'unknown', reason: tooLate(ms) });
    controller.abort(new ProviderError('provider_timeout', tooLate(ms)));
  }, ms);
  const running = probe(controller.signal).catch((error: unknown): ProbeResult => {
    if (error instanceof ProviderError) return { result: 'fails', reason: error.message };
    throw error;
  });
  try {
    return await Promise.race([late, running]);
  } finally {
    clearTimeout(timer);
    running.catch(() => undefined);
  }
}

/** The model to try: the one named, or the first that looks like a chat model. */
const chosenModel = (named: string | undefined, list: ProviderModel[], preset: Pick<Preset, 'id'>) =>
  named ?? filterChatModels(list, preset.id === 'openai')[0]?.id ?? (preset.id === 'perplexity' ? 'sonar' : undefined);

async function listModels(key: ConnectionKey, ms: number): Promise<{ list: ProviderModel[]; found: ProbeResult }> {
  let list: ProviderModel[] = [];
  const found = await within(ms, async () => {
    list = await key.provider.models(key, ms);
    return { result: 'works', reason: list.length === 1 ? '1 model' : `${list.length} models` };
  });
  return { list, found };
}

const notTried = (reason: string): ProbeResult => ({ result: 'unknown', reason });

type Results = Map<Ability, ProbeResult>;

const modelAbilities = ['reasoning', 'tools', 'images', 'jsonSchema'] as const;
const needingAnswer = ['streaming', ...modelAbilities] as const;

/** Tries what a model can do; the first answer decides whether the rest is worth asking. */
async function tryModel(results: Results, key: ConnectionKey, model: string, times: CheckTimes) {
  let streaming: ProbeResult | undefined;
  let reasoning: ProbeResult | undefined;
  const answer = await within(times.answerMs, async (signal) => {
    const probed = await probeAnswer(key, model, signal);
    ({ streaming, reasoning } = probed);
    return probed.answer;
  });
  results.set('answer', answer);
  if (answer.result !== 'works' || !streaming) {
    for (const ability of needingAnswer) results.set(ability, notTried(`Not tried: ${model} gave no answer.`));
    return;
  }
  results.set('streaming', streaming);
  const others = modelAbilities.map(async (ability) => {
    results.set(ability, await within(times.othersMs, (signal) => answerProbes[ability](key, model, signal)));
  });
  await Promise.all(others);
  if (reasoning) results.set('reasoning', reasoning);
}

/**
 * Tries what a connection's provider can do with short requests. `notice`: why it cannot be used at all; null: it can.
 * Failures are results: only a bug rejects.
 */
export async function checkAbilities(
  key: ConnectionKey,
  preset: Pick<Preset, 'id' | 'serves'>,
  named: string | undefined,
  times = usualTimes,
): Promise<{ checks: AbilityCheck[]; notice: string | null }> {
  const results: Results = new Map();
  const { list, found } = await listModels(key, times.listMs);
  results.set('models', found);
  const model = chosenModel(named, list, preset);
  const resources = Promise.all([
    within(times.othersMs, () => probeFiles(key)),
    within(times.othersMs, (signal) => probeEmbeddings(key, list, signal)),
    within(times.othersMs, () => probeFineTuning(key)),
  ]);
  if (model === undefined)
    for (const ability of ['answer', ...needingAnswer] as const)
      results.set(ability, notTried('Not tried: there is no list of models. Enter a model and check again.'));
  else await tryModel(results, key, model, times);
  const [files, embeddings, fineTuning] = await resources;
  results.set('files', files).set('embeddings', embeddings).set('fineTuning', fineTuning);
  return {
    checks: abilities.map((ability) => {
      const { result, reason } = results.get(ability) ?? notTried('Not tried.');
      return { ability, result, reason: reason === null ? null : storable(reason) };
    }),
    notice: noticeOf(results, model !== undefined),
  };
}

/** Why the connection cannot be used, or may not be. Without a list of models the key may still be fine. */
function noticeOf(results: Results, hasModel: boolean): string | null {
  const decisive = results.get(hasModel ? 'answer' : 'models');
  if (decisive === undefined || decisive.result === 'works' || decisive.reason === null) return null;
  return storable(decisive.reason);
}
