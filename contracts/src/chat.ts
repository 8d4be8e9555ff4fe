import { z } from 'zod';
import { ThreadTools } from './assistants/tools.ts';
import { ClientId, endpoint, Id, NoContent, PathId, Time, wholeNumber } from './endpoint.ts';
import { RunError } from './errors.ts';
import { nameText, requiredText, textUpTo } from './text/text.ts';
import { PlacedLink, WebLink } from './text/web-links.ts';

export const messageLimit = 10_000;
export const attachedFilesLimit = 20;
/** What the files that go to the provider with one request may have together: 20 MB. */
export const attachedBytesLimit = 20_971_520;
/** One text file: 4 MB. */
export const attachedTextLimit = 4_194_304;
const Title = nameText(255, 'Title cannot exceed 255 characters', 'Title is required');

export const Thread = z.object({
  id: Id,
  title: z.string(),
  /** What answers in it: an assistant with its own model; or, where it is null, `model`. Never both. */
  assistantId: Id.nullable(),
  /** null, and no assistant: the default model, settled when an answer is written. */
  model: z.string().nullable(),
  /** Left out: all tools as its assistant has them; without an assistant, none. */
  tools: ThreadTools.optional(),
  pinned: z.boolean(),
  archived: z.boolean(),
  /** What the access token of the program that made it is called; null: its owner made it. */
  madeBy: z.string().nullable(),
  createdAt: Time,
  /** The time of the last message; the list is in this order. */
  updatedAt: Time,
  /** A run that is under way in it: where several models answer one question, that of the shown answer if it is one of them. */
  runId: Id.nullable(),
  /** A run in it waits until its owner approves the call of a tool; left out: none does. */
  waitsForApproval: z.literal(true).optional(),
});
export type Thread = z.output<typeof Thread>;

/** A thread in a list; `match` says where a search found it. */
export const ThreadListItem = Thread.extend({
  match: z.object({ messageId: Id, snippet: z.string() }).nullable(),
});
export type ThreadListItem = z.output<typeof ThreadListItem>;

export const finalStates = ['complete', 'stopped', 'failed', 'interrupted'] as const;
/** `waiting`: until a person approves what a tool is asked; no process holds it. */
export const RunState = z.enum(['queued', 'running', 'waiting', ...finalStates]);
export type RunState = z.output<typeof RunState>;

export const Usage = z.object({
  inputTokens: z.number().int(),
  cachedTokens: z.number().int(),
  outputTokens: z.number().int(),
  reasoningTokens: z.number().int(),
  /** null: no price is known for the model. */
  costUsd: z.number().nullable(),
  /** Counted by Roster because the provider's own figures did not arrive (a stopped or broken answer). */
  estimated: z.boolean(),
});
export type Usage = z.output<typeof Usage>;

/** What a model reads it as. */
export const AttachmentKind = z.enum(['image', 'document', 'text']);
export type AttachmentKind = z.output<typeof AttachmentKind>;

export const AttachedFile = z.object({
  /** null: the file was deleted. */
  id: Id.nullable(),
  filename: z.string(),
  /** Bytes. */
  size: z.number().int(),
  kind: AttachmentKind,
});
export type AttachedFile = z.output<typeof AttachedFile>;

export const generatedFileLimit = 20;

/** What a tool has made for an answer and is not kept as a file. */
export const UnstoredFile = z.object({
  filename: z.string(),
  /** `fetching`: it is being fetched from the provider. `failed`: nothing more will come of it. */
  state: z.enum(['fetching', 'failed']),
  /** Why, in words; null: nothing has gone wrong so far. */
  error: z.string().nullable(),
});
export type UnstoredFile = z.output<typeof UnstoredFile>;

/** What the reader thinks of an answer, and how it should have read. */
export const AnswerRating = z.object({
  value: z.enum(['good', 'bad']).nullable(),
  /** The better answer in the reader’s words; null: none. The conversation itself is not changed by it. */
  correction: z.string().nullable(),
});
export type AnswerRating = z.output<typeof AnswerRating>;

export const correctionLimit = 100_000;

/**
 * How far a call of a tool is. `waiting`: for a program that answers a function, or for a person. `uncertain`: it may have run.
 */
export const ToolCallState = z.enum(['running', 'waiting', 'done', 'failed', 'denied', 'uncertain']);
export type ToolCallState = z.output<typeof ToolCallState>;

/** A tool that the model called while it answered. */
export const ToolCall = z.object({
  /** `server`: a tool of a tool server; a `function` is a program's, and the others are run by the provider. */
  kind: z.enum(['function', 'file_search', 'code_interpreter', 'web_search', 'image_generation', 'server']),
  /** Unique within its run. */
  callId: z.string(),
  name: z.string(),
  /** As its tool server names it, where `name` is what the model calls it by; left out: of no tool server, or none it has. */
  tool: z.string().nullish(),
  /** For people: what the tool calls itself; empty where the kind says it. */
  title: z.string(),
  /** Of which tool server it is; null: of none. */
  server: z.string().nullable(),
  state: ToolCallState,
  /** Of a function its arguments as JSON; of a search its queries as a JSON list; else the code or the description. */
  input: z.string(),
  /** What came of it; null: nothing yet. Of the provider's own tools a JSON list. */
  output: z.string().nullable(),
});
export type ToolCall = z.output<typeof ToolCall>;

/** As an answer shows it: of long texts the beginning. */
export const DisplayedToolCall = ToolCall.extend({
  /** Where it stands: before this character (UTF-16 unit) of the answer's text. */
  at: z.number().int(),
});
export type DisplayedToolCall = z.output<typeof DisplayedToolCall>;

/** Why the provider ended an answer before it was whole. */
export const EndedEarly = z.enum(['length', 'content_filter']);
export type EndedEarly = z.output<typeof EndedEarly>;

const functionCallNotePrefix = 'Called ';
/** The note of an answer that ends with calls of functions. */
export const functionCallNote = (names: Iterable<string>) =>
  `${functionCallNotePrefix}${new Intl.ListFormat('en').format(new Set(names))}`;
export const isFunctionCallNote = (note: string) => note.startsWith(functionCallNotePrefix);

export const Message = z.object({
  id: Id,
  threadId: Id,
  parentId: Id.nullable(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  /** The model's summary of its thinking, where there is one. */
  reasoning: z.string(),
  state: RunState,
  run: z.object({ id: Id, state: RunState }).nullable(),
  /** Of an answer by an assistant: which one it was, and in which version. */
  answeredBy: z.object({ assistantId: Id, version: z.number().int() }).optional(),
  /** Of an answer; null until it is settled which model answers. */
  model: z.string().nullable(),
  usage: Usage.nullable(),
  error: RunError.nullable(),
  /** What Roster did differently than asked, in words: a parameter left out, a history cut. */
  notes: z.array(z.string()),
  /** Of a question what was attached to it; of an answer what tools of the provider have made for it. */
  files: z.array(AttachedFile),
  /** Of an answer what was made for it and is not among `files`: not yet, or never. */
  unkept: z.array(UnstoredFile).optional(),
  /** The addresses of images, where a program put any into it. Only the provider looks at what is there. */
  imageUrls: z.array(z.string()).optional(),
  /** The names of the assistant’s files that the model took the answer from, as the provider cites them. */
  sources: z.array(z.string()),
  /** Of an answer that cites pages of the web: where in its text which one is. */
  links: z.array(PlacedLink).optional(),
  /** What the model called while it wrote this. */
  calls: z.array(DisplayedToolCall).optional(),
  /** So long a program can say what the functions have answered; left out: none is waited for. */
  waitsUntil: Time.optional(),
  /** Of an answer that was asked for in a form: its run has the schema. */
  hasSchema: z.literal(true).optional(),
  /** null: not rated. Questions have none. */
  rating: AnswerRating.nullable(),
  /** The ids of all messages that follow the same parent, this one included, oldest first: the branches. */
  siblings: z.array(Id),
  /** Of an answer: the ids of those that several models were asked for together, this one included, in the order asked; else empty. */
  together: z.array(Id),
  /** Which of `together` was chosen to go on with, by showing it; null: none so far. */
  chosenId: Id.nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
  /** Why a complete answer is not whole: it reached the limit of the output, or the provider's filter ended it; null: it is whole, or `state` says why not. */
  endedEarly: EndedEarly.nullable(),
  /** Of an answer that was continued after it had ended early. */
  continued: z.literal(true).optional(),
  /** How long the model thought in all, in milliseconds; left out: it did not, or that was not measured. */
  thoughtMs: z.number().int().optional(),
});
export type Message = z.output<typeof Message>;

export const Run = z.object({
  id: Id,
  threadId: Id,
  /** The answer that the run writes. */
  messageId: Id,
  state: RunState,
});
export type Run = z.output<typeof Run>;

/** What an answer is made of, in order. `finished` or `failed` comes exactly once, last; a run that is continued goes on with its numbers. */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('reasoning'),
    text: z.string(),
    /** How long the model has thought so far, in milliseconds: said with an empty text whenever it stops thinking. */
    thoughtMs: z.number().int().optional(),
  }),
  z.object({ type: z.literal('note'), text: z.string() }),
  /** A file of the assistant that the answer is taken from. */
  z.object({ type: z.literal('source'), text: z.string() }),
  /** What was said last is taken from this file. */
  z.object({ type: z.literal('citation'), fileId: Id }),
  /** What was said last is taken from this page of the web. */
  WebLink.extend({ type: z.literal('link') }),
  /** A call, or how far it is by now: a later one takes the place of the earlier one with the same `callId`. */
  z.object({ type: z.literal('tool'), call: ToolCall }),
  Usage.extend({ type: z.literal('usage') }),
  z.object({ type: z.literal('finished'), reason: z.enum(['complete', 'stopped', 'length', 'content_filter']) }),
  z.object({ type: z.literal('failed'), error: RunError }),
]);
export type RunEvent = z.output<typeof RunEvent>;

const byId = z.strictObject({ id: PathId });
/** What denies a call says it to the model. */
export const approvalReasonLimit = 1_000;
/** How a person decides on the call of a tool; `approve_thread`: also on later calls of it in the conversation. */
export const ApprovalDecision = z.enum(['approve', 'approve_thread', 'deny']);
export type ApprovalDecision = z.output<typeof ApprovalDecision>;
/** What a tool may be called with, in UTF-16 units. */
export const toolInputLimit = 65_536;
const Flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** As the provider calls it. */
const ModelId = requiredText(200, 'A model’s name cannot exceed 200 characters', 'Choose a model').transform((id) =>
  id.trim(),
);

/** A conversation is answered by an assistant or by a model. */
const oneAnswers = ({ assistantId, model }: { assistantId?: unknown; model?: unknown }) =>
  typeof assistantId !== 'number' || typeof model !== 'string';
const bothAnswer = { message: 'Choose an assistant or a model, not both', path: ['model'] };

export const parallelModelLimit = 4;

/** The longest text to find in one conversation, in characters. */
export const findLimit = 200;

/** Asked for once more, after a budget with a hard stop refused it: this one call goes through. */
const OverBudget = z.boolean().optional();

export const MessageDraft = z.strictObject({
  message: requiredText(messageLimit, 'Message cannot exceed 10000 characters', 'Message is required'),
  clientId: ClientId,
  /** Files that go along, in this order. */
  fileIds: z.array(Id).max(attachedFilesLimit, 'At most 20 files can be attached to a message').optional(),
  /** The message this one follows: left out, the end of the shown branch; null, the beginning. */
  parentId: Id.nullable().optional(),
  /** Several answers side by side, one of each model, with all else as it is in the conversation; the first is shown. */
  models: z
    .array(ModelId)
    .min(2, 'Choose at least two models')
    .max(parallelModelLimit, `At most ${parallelModelLimit} models can answer at once`)
    .refine((ids) => new Set(ids).size === ids.length, 'Choose each model once')
    .optional(),
  overBudget: OverBudget,
});

export const chat = {
  threads: endpoint({
    method: 'GET',
    path: '/api/threads',
    access: 'user',
    summary:
      'The conversations, pinned first, then the newest; without `programs` those in the archive, or those that no program has made. `q` searches titles and messages of all.',
    query: z.strictObject({
      limit: wholeNumber(1, 100).default(50),
      cursor: z.string().max(200).optional(),
      q: z.string().max(200).optional(),
      archived: Flag.optional(),
      programs: Flag.optional(),
    }),
    output: z.object({ items: z.array(ThreadListItem), nextCursor: z.string().nullable() }),
  }),
  createThread: endpoint({
    method: 'POST',
    path: '/api/threads',
    access: 'user',
    summary: 'Starts a conversation.',
    body: z
      .strictObject({
        title: Title.optional(),
        assistantId: Id.nullable().optional(),
        model: ModelId.nullable().optional(),
        tools: ThreadTools.optional(),
      })
      .refine(oneAnswers, bothAnswer),
    output: Thread,
    status: 201,
  }),
  thread: endpoint({
    method: 'GET',
    path: '/api/threads/:id',
    access: 'user',
    summary: 'One conversation.',
    params: byId,
    output: Thread,
  }),
  updateThread: endpoint({
    method: 'PATCH',
    path: '/api/threads/:id',
    access: 'user',
    summary:
      'Renames, pins, archives, gives another assistant or model (each takes the place of the other), switches tools on or off, or shows another branch.',
    params: byId,
    body: z
      .strictObject({
        title: Title.optional(),
        pinned: z.boolean().optional(),
        archived: z.boolean().optional(),
        assistantId: Id.nullable().optional(),
        model: ModelId.nullable().optional(),
        /** In place of what was switched before, from the next question on; null: all as the assistant has them. */
        tools: ThreadTools.nullable().optional(),
        /** Shows the branch that runs through this message, down to its newest end. */
        shownMessageId: Id.optional(),
      })
      .refine(oneAnswers, bothAnswer),
    output: Thread,
  }),
  removeThread: endpoint({
    method: 'DELETE',
    path: '/api/threads/:id',
    access: 'user',
    summary: 'Deletes a conversation with its messages and stops its run.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  exportThread: endpoint({
    method: 'GET',
    path: '/api/threads/:id/export',
    access: 'user',
    summary: 'The shown branch as Markdown, or the whole conversation with all branches as JSON.',
    params: byId,
    query: z.strictObject({ format: z.enum(['md', 'json']).default('md') }),
    output: NoContent,
    respondsWith: 'bytes',
  }),
  messages: endpoint({
    method: 'GET',
    path: '/api/threads/:id/messages',
    access: 'user',
    summary:
      'A page of the shown branch, oldest first: its end, or what lies around a message, or what a cursor names (older or newer).',
    params: byId,
    query: z.strictObject({
      limit: wholeNumber(1, 200).default(50),
      cursor: z.string().max(200).optional(),
      around: PathId.optional(),
    }),
    output: z.object({
      items: z.array(Message),
      /** Towards the beginning. */
      nextCursor: z.string().nullable(),
      /** Towards the end. */
      newerCursor: z.string().nullable(),
    }),
  }),
  findInThread: endpoint({
    method: 'GET',
    path: '/api/threads/:id/find',
    access: 'user',
    summary:
      'Which messages of a branch have a text, in any case, oldest first: in their words, their reasoning, the names of their files, and what their tools were asked and answered.',
    params: byId,
    query: z.strictObject({
      q: requiredText(findLimit, `Type at most ${findLimit} characters`, 'Type the text to find'),
      /** The branch that runs through this message; left out: the shown one. */
      through: PathId.optional(),
    }),
    output: z.object({
      items: z.array(z.object({ messageId: Id, count: z.number().int() })),
      /** false: only the newest messages of the branch were searched. */
      isWhole: z.boolean(),
    }),
  }),
  send: endpoint({
    method: 'POST',
    path: '/api/threads/:id/messages',
    access: 'user',
    rate: 'messages',
    summary: 'Stores a message, then starts the answer, or those of several models.',
    params: byId,
    body: MessageDraft,
    /** `run` is the first of `runs`, which are in the order of `models`. */
    output: z.object({ message: Message, run: Run, runs: z.array(Run) }),
    status: 202,
  }),
  answers: endpoint({
    method: 'GET',
    path: '/api/messages/:id/answers',
    access: 'user',
    summary: 'The answers to a question, or those beside an answer, oldest first: the newest 20.',
    params: byId,
    output: z.object({ items: z.array(Message) }),
  }),
  regenerate: endpoint({
    method: 'POST',
    path: '/api/messages/:id/regenerate',
    access: 'user',
    rate: 'messages',
    summary: 'A new answer beside the old one, for an answer or for a question.',
    params: byId,
    body: z.strictObject({
      clientId: ClientId.optional(),
      /** Left out: what answers in the conversation. */
      model: ModelId.optional(),
      overBudget: OverBudget,
    }),
    output: z.object({ message: Message, run: Run }),
    status: 202,
  }),
  continue: endpoint({
    method: 'POST',
    path: '/api/messages/:id/continue',
    access: 'user',
    rate: 'messages',
    summary:
      'Continues an answer that ended early, was stopped, interrupted or failed: the new text is appended to the same message by the same run.',
    params: byId,
    body: z.strictObject({ clientId: ClientId, overBudget: OverBudget }),
    output: z.object({ message: Message, run: Run }),
    status: 202,
  }),
  rate: endpoint({
    method: 'POST',
    path: '/api/messages/:id/rating',
    access: 'user',
    summary: 'Says whether an answer is good or bad, or how it should have read; what is left out stays.',
    params: byId,
    body: z.strictObject({
      value: z.enum(['good', 'bad']).nullable().optional(),
      correction: textUpTo(correctionLimit, 'The correction cannot exceed 100000 characters').nullable().optional(),
    }),
    bodyLimit: 1024 * 1024,
    output: Message,
  }),
  events: endpoint({
    method: 'GET',
    path: '/api/runs/:id/events',
    access: 'user',
    summary: 'The events of a run, numbered from 1; `Last-Event-ID` resumes after the last one seen.',
    params: byId,
    output: RunEvent,
    respondsWith: 'events',
  }),
  responseSchema: endpoint({
    method: 'GET',
    path: '/api/runs/:id/response-schema',
    access: 'user',
    summary: 'The JSON schema that the answer of a run was asked for with, as text; null: none.',
    params: byId,
    output: z.object({ schema: z.string().nullable() }),
  }),
  stop: endpoint({
    method: 'POST',
    path: '/api/runs/:id/stop',
    access: 'user',
    summary: 'Stops a run; a run that has ended stays as it is.',
    params: byId,
    output: Run,
  }),
  approve: endpoint({
    method: 'POST',
    path: '/api/runs/:id/approvals/:callId',
    access: 'user',
    summary:
      'Decides on the call of a tool that a run waits for; a Viewer can only deny it. The run goes on once all of them are decided.',
    params: z.strictObject({ id: PathId, callId: z.string().regex(/^[\x21-\x7e]{1,220}$/) }),
    body: z.strictObject({
      decision: ApprovalDecision,
      /** Why it is denied, for the model. */
      reason: textUpTo(approvalReasonLimit, 'The reason cannot exceed 1000 characters').optional(),
    }),
    output: Run,
  }),
};
