import { type Directives, parseDirectives, withoutDirectives } from '../faults/directives.ts';
import type { Fault } from '../faults/fault.ts';
import type { Effort } from '../models/rules.ts';
import type { Drawing } from '../responses/pictures.ts';
import { answerTo, longAnswer } from './answers.ts';
import { type Call, callsFor } from './calls.ts';
import { asksToJudge, judgement } from './judge.ts';
import { lastUserText, type Question } from './question.ts';
import { type Script, type ScriptedAnswer, scriptedAnswer, scriptedText, type WebPage } from './script.ts';
import { structuredAnswer } from './structured.ts';
import { asksForTitle, titleFor } from './title.ts';
import { tokensOf } from './tokens.ts';

type Ending = 'completed' | 'max_output_tokens' | 'content_filter';

/** The whole answer, decided before the first byte is sent. */
export type Plan = {
  kind: 'text' | 'refusal';
  tokens: readonly string[];
  reasoningTokens: number;
  /** Parts of the reasoning summary; null if the model does not reason. */
  summary: readonly string[] | null;
  ending: Ending;
  /** Adds to each token the time it was sent. */
  stamped: boolean;
  /** The functions that are called instead of an answer. */
  calls: readonly Call[];
  /** The web search before the answer. */
  webQuery: string | null;
  /** The pages that it finds; null: the usual ones. */
  webPages: readonly WebPage[] | null;
  /** An image that is drawn before the answer. */
  picture: { prompt: string; drawing: Drawing; file: string | null } | null;
  /** Code that is run before the answer. */
  code: string | null;
  /** Its output; null: the usual one. */
  logs: string | null;
  /** The files that it generates. */
  made: readonly string[];
};

const REASONING_TOKENS: { [name in Effort]: number } = {
  none: 0,
  minimal: 16,
  low: 64,
  medium: 192,
  high: 512,
  xhigh: 1_024,
  max: 2_048,
};

const BEFORE_CALLS = 'Let me look that up.';
const beforeCalls = ({ saying = false }: Directives['wish']) => (saying ? tokensOf(BEFORE_CALLS) : []);

const REFUSAL = "I'm sorry, but I can't help with that request.";

/**
 * Title requests quote messages with directives, which must not apply to them. The same holds for a judge of two
 * answers, whose directives are in the instructions.
 */
export function directivesFor(question: Question, script: Script): Directives {
  const continued = continuedIn(question);
  if (continued) {
    const { fault, ...others } = parseDirectives(lastUserText(continued.question.turns));
    const { incomplete: _, incompleteAfter: __, ...kept } = fault;
    return { ...others, fault: kept };
  }
  if (asksToJudge(question.instructions)) return parseDirectives(question.instructions);
  return asksForTitle(question.instructions)
    ? { fault: {}, wish: {}, once: false }
    : parseDirectives(scriptedAnswer(script, question)?.directives ?? lastUserText(question.turns));
}

/** The fault that a message asks for; one with `once` applies only to its first occurrence. */
export function requestedFault(
  sufferedOnce: Set<string>,
  key: string,
  question: Question,
  directives: Directives,
): Fault {
  if (!directives.once) return directives.fault;
  const mark = `${key} ${lastUserText(question.turns)}`;
  if (sufferedOnce.has(mark)) return {};
  sufferedOnce.add(mark);
  return directives.fault;
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => ` t${String(index).padStart(4, '0')}`);
}

function wording(question: Question, { wish }: Directives, scripted: ScriptedAnswer | null): string[] {
  if (asksForTitle(question.instructions)) return tokensOf(titleFor(lastUserText(question.turns)));
  if (asksToJudge(question.instructions)) return tokensOf(judgement(question, wish));
  if (scripted !== null) return tokensOf(scriptedText(scripted, question));
  if (wish.bench !== undefined) return numbered(wish.bench);
  if (wish.tokens !== undefined) return longAnswer(wish.tokens);
  if (wish.refusal === true) return tokensOf(REFUSAL);
  if (question.schema !== null)
    return tokensOf(structuredAnswer(question.schema, withoutDirectives(lastUserText(question.turns)), wish));
  return tokensOf(answerTo(question, wish.hostile === true));
}

function summaryOf(question: Question): string[] {
  const questions = question.turns.filter((turn) => turn.role === 'user').length;
  return [
    `**Reading the request**\n\nThis is message ${questions} of the conversation. I first settle what is being asked, and which of it my instructions already decide.`,
    '**Choosing a form**\n\nA short paragraph answers best; a table or code only where the words ask for one. I check the answer once against the question before I write it down.',
  ];
}

function codeFor({ tools, turns }: Question, { wish }: Directives, scripted: ScriptedAnswer | null): string | null {
  const isForced = tools.choice === 'code_interpreter';
  if (!tools.runsCode || tools.choice === 'none' || !(isForced || wish.code === true)) return null;
  return scripted?.code ?? `print(len(${JSON.stringify(lastUserText(turns))}))`;
}

function webQueryFor({ tools, turns }: Question, { wish }: Directives): string | null {
  return tools.searchesWeb && wish.web === true ? withoutDirectives(lastUserText(turns)) : null;
}

function pictureFor(
  { tools, turns }: Question,
  { wish }: Directives,
  scripted: ScriptedAnswer | null,
): Plan['picture'] {
  if (!tools.drawsPictures || wish.picture === undefined) return null;
  const prompt = withoutDirectives(lastUserText(turns));
  return { prompt, drawing: wish.picture, file: scripted?.picture ?? null };
}

/** The answer's link to a file that its code generated. Images that are only shown are not mentioned. */
export const generatedFileLink = (name: string) => `[${name}](sandbox:/mnt/data/${name})`;
export const isCited = (name: string) => !/^(inline|output)/.test(name);

function tokensAbout(made: readonly string[]): string[] {
  const links = made.filter(isCited).map(generatedFileLink);
  return links.length === 0 ? [] : tokensOf(`\n\nI made ${links.join(', ')}.`);
}

const CONTINUE = 'Continue your last answer exactly where it stopped.';

/** A request to continue an answer: its question, and the text so far. */
function continuedIn(asking: Question): { question: Question; written: string } | undefined {
  const { turns } = asking;
  const askedAt = turns.findLastIndex(({ role, text }) => role === 'user' && text.startsWith(CONTINUE));
  const questionAt = turns.slice(0, Math.max(askedAt, 0)).findLastIndex(({ role }) => role === 'user');
  if (askedAt < 0 || questionAt < 0) return undefined;
  const texts = turns.slice(questionAt + 1, askedAt).map(({ text }) => text);
  return { question: { ...asking, turns: turns.slice(0, questionAt + 1) }, written: texts.join('') };
}

/** The rest of a continued answer, with the requested number of repeated tokens. */
function restOf(
  tokens: readonly string[],
  continued: { written: string } | undefined,
  { repeated = 0 }: Directives['wish'],
): readonly string[] {
  if (!continued) return tokens;
  const { written } = continued;
  let length = 0;
  const at = tokens.findIndex((token) => {
    length += token.length;
    return length > written.length;
  });
  return at < 0 ? [] : tokens.slice(Math.max(0, at - repeated));
}

function thoughtFor({ effort: wanted, instructions }: Question, forced: boolean): number {
  const effort = forced && (wanted === null || wanted === 'none') ? 'medium' : wanted;
  const tokens = effort === null ? 0 : REASONING_TOKENS[effort];
  return asksForTitle(instructions) ? Math.min(tokens, 16) : tokens;
}

/** The function calls, with the script's arguments if there are any. */
function plannedCalls(question: Question, wish: Directives['wish'], scripted: ScriptedAnswer | null): Call[] {
  if (asksForTitle(question.instructions)) return [];
  const calls = callsFor(question.tools, wish, withoutDirectives(lastUserText(question.turns)));
  const given = scripted?.callArguments;
  return given ? calls.map((call) => ({ ...call, arguments: JSON.stringify(given) })) : calls;
}

export function planFor(given: Question, directives: Directives, fault: Fault, script: Script): Plan {
  const { wish } = directives;
  const continued = continuedIn(given);
  const question = continued?.question ?? given;
  const scripted = scriptedAnswer(script, question);
  const calls = plannedCalls(question, wish, scripted);
  const code = codeFor(question, directives, scripted);
  const made = code === null ? [] : (wish.make ?? []);
  const whole = [...wording(question, directives, scripted), ...tokensAbout(made)];
  const all = calls.length > 0 ? beforeCalls(wish) : restOf(whole, continued, wish);
  const forced = wish.reasoning === true;
  const thought = thoughtFor(question, forced);

  let tokens = all;
  let reasoningTokens = thought;
  let ending: Ending = 'completed';
  if (fault.incomplete !== undefined) {
    tokens = all.slice(0, fault.incompleteAfter ?? Math.ceil(all.length / 2));
    ending = fault.incomplete;
  }
  if (question.maxTokens !== undefined && reasoningTokens + tokens.length > question.maxTokens) {
    reasoningTokens = Math.min(thought, question.maxTokens);
    tokens = tokens.slice(0, question.maxTokens - reasoningTokens);
    ending = 'max_output_tokens';
  }
  return {
    kind: directives.wish.refusal === true ? 'refusal' : 'text',
    tokens,
    reasoningTokens,
    summary: reasoningTokens === 0 ? null : question.wantsSummary || forced ? summaryOf(question) : [],
    ending,
    stamped: directives.wish.bench !== undefined,
    calls: fault.incomplete === undefined ? calls : [],
    webQuery: webQueryFor(question, directives),
    webPages: scripted?.webPages ?? null,
    picture: pictureFor(question, directives, scripted),
    code,
    logs: scripted?.logs ?? null,
    made,
  };
}
