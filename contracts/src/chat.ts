import { z } from 'zod';
import { ThreadTools } from './assistants/tools.ts';
import { ClientId, endpoint, Id, NoContent, PathId, positiveInteger, Time } from './endpoint.ts';
import { RunError } from './errors.ts';
import { modelText } from './model-text.ts';
import { ConnectionOfModel, hasPlainModel, plainModelMissing } from './models/connection-of-model.ts';
import { nameText, requiredText, textUpTo } from './text/text.ts';
import { PlacedLink, WebLink } from './text/web-links.ts';

export const messageLimit = 10_000;
export const attachedFilesLimit = 20;
/** Total size of the files sent to the provider with one request: 20 MB. */
export const attachedBytesLimit = 20_971_520;
/** Size of one text file: 4 MB. */
export const attachedTextLimit = 4_194_304;
const Title = nameText(255, 'Title cannot exceed 255 characters', 'Title is required');

export const Thread = z.object({
  id: Id,
  title: z.string(),
  /** The assistant that answers, with its own model; if null, `model` answers. Never both. */
  assistantId: Id.nullable(),
  /** null, without an assistant: the default model, resolved when an answer is written. */
  model: z.string().nullable(),
  /** Left out: all tools as the assistant has them; without an assistant, none. */
  tools: ThreadTools.optional(),
  pinned: z.boolean(),
  archived: z.boolean(),
  /** The name of the access token that created it; null: its owner did. */
  madeBy: z.string().nullable(),
  createdAt: Time,
  /** The time of the last message, by which lists are sorted. */
  updatedAt: Time,
  /** An active run in it. If several models answer one message, the run of the shown answer if that is active. */
  runId: Id.nullable(),
  /** A run in it waits for its owner to approve a tool call; left out: none. */
  waitsForApproval: z.literal(true).optional(),
  /** Left out: in no project. */
  projectId: Id.optional(),
  /** In no list, and deleted when it is closed or after 24 hours; left out: not temporary. */
  temporary: z.literal(true).optional(),
  /** Messages that wait for the end of the answer; left out: none. */
  queued: z.number().int().optional(),
});
export type Thread = z.output<typeof Thread>;

/** A thread in a list. `match`: where a search found it. */
export const ThreadListItem = Thread.extend({
  match: z.object({ messageId: Id, snippet: z.string() }).nullable(),
});
export type ThreadListItem = z.output<typeof ThreadListItem>;

const finalStates = ['complete', 'stopped', 'failed', 'interrupted'] as const;
/** `waiting`: for a user’s approval of a tool call; no process holds the run. */
export const RunState = z.enum(['queued', 'running', 'waiting', ...finalStates]);
export type RunState = z.output<typeof RunState>;

export const Usage = z.object({
  inputTokens: z.number().int(),
  cachedTokens: z.number().int(),
  outputTokens: z.number().int(),
  reasoningTokens: z.number().int(),
  /** null: the model has no known price. */
  costUsd: z.number().nullable(),
  /** Counted by Roster because the provider’s usage did not arrive (a stopped or broken answer). */
  estimated: z.boolean(),
});
export type Usage = z.output<typeof Usage>;

/** The form in which a model reads it. */
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

/** A file that a tool generated for an answer and that is not stored. */
export const UnstoredFile = z.object({
  filename: z.string(),
  /** `fetching`: being downloaded from the provider. `failed`: given up. */
  state: z.enum(['fetching', 'failed']),
  /** Error message; null: no error so far. */
  error: z.string().nullable(),
});
export type UnstoredFile = z.output<typeof UnstoredFile>;

export const AnswerRating = z.object({
  value: z.enum(['good', 'bad']).nullable(),
  /** The better answer in the user’s words; null: none. It does not change the conversation. */
  correction: z.string().nullable(),
});
export type AnswerRating = z.output<typeof AnswerRating>;

export const correctionLimit = 100_000;

/**
 * State of a tool call. `waiting`: for the client’s function output, or for the user’s approval. `uncertain`: it may
 * have run.
 */
const ToolCallState = z.enum(['running', 'waiting', 'done', 'failed', 'denied', 'uncertain']);

export const ToolCall = z.object({
  /** `server`: a connected tool. `function`: a function of the API client. The others run at the provider. */
  kind: z.enum(['function', 'file_search', 'code_interpreter', 'web_search', 'image_generation', 'server']),
  /** Unique within its run. */
  callId: z.string(),
  name: z.string(),
  /**
   * The tool’s name on its server, whereas `name` is the one the model calls; left out: not a connected tool, or an
   * unknown one.
   */
  tool: z.string().nullish(),
  /** The tool’s own title, for people; empty if `kind` says enough. */
  title: z.string(),
  /** The name of its tool server; null: none. */
  server: z.string().nullable(),
  state: ToolCallState,
  /** A function’s arguments as JSON; a search’s queries as a JSON list; otherwise the code or the description. */
  input: z.string(),
  /** The result; null: none yet. For built-in tools a JSON list. */
  output: z.string().nullable(),
});
export type ToolCall = z.output<typeof ToolCall>;

/** A tool call as shown with an answer. Long texts are cut. */
export const DisplayedToolCall = ToolCall.extend({
  /** Position in the answer’s text: before this UTF-16 unit. */
  at: z.number().int(),
});
export type DisplayedToolCall = z.output<typeof DisplayedToolCall>;

/** Why the provider ended an answer before it was complete. */
export const EndedEarly = z.enum(['length', 'content_filter']);
export type EndedEarly = z.output<typeof EndedEarly>;

/** Length of a summary, in UTF-16 units. */
export const summaryLimit = 20_000;

/** Sent to models instead of a message and all before it in its branch. */
export const Summary = z.object({
  /** Empty until it is complete. */
  text: z.string(),
  state: z.enum(['writing', 'complete', 'failed']),
  /** Why it failed; null: it did not. */
  error: z.string().nullable(),
  /** Empty until it is known. */
  model: z.string(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** null: the model has no known price. */
  costUsd: z.number().nullable(),
  /** True after its owner has changed the text. */
  edited: z.boolean(),
  createdAt: Time,
});
export type Summary = z.output<typeof Summary>;

export const Message = z.object({
  id: Id,
  threadId: Id,
  parentId: Id.nullable(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  /** The model’s summary of its reasoning, if any. */
  reasoning: z.string(),
  state: RunState,
  run: z.object({ id: Id, state: RunState }).nullable(),
  /** For an assistant’s answer: the assistant and its version. */
  answeredBy: z.object({ assistantId: Id, version: z.number().int() }).optional(),
  /** For an answer; null until the model is resolved. */
  model: z.string().nullable(),
  usage: Usage.nullable(),
  error: RunError.nullable(),
  /** Differences from the request, in words: a parameter left out, a history cut. */
  notes: z.array(z.string()),
  /** For a question, its attachments; for an answer, the files generated by built-in tools. */
  files: z.array(AttachedFile),
  /** For an answer: generated files that are not among `files` yet, or failed. */
  unkept: z.array(UnstoredFile).optional(),
  /** URLs of images that an API client put into the message. Only the provider fetches them. */
  imageUrls: z.array(z.string()).optional(),
  /** The names of the assistant’s files that the answer is based on, as cited by the provider. */
  sources: z.array(z.string()),
  /** For an answer that cites web pages: their positions in its text. */
  links: z.array(PlacedLink).optional(),
  /** Tool calls made while this was written. */
  calls: z.array(DisplayedToolCall).optional(),
  /** Deadline for the client’s function outputs; left out: none is awaited. */
  waitsUntil: Time.optional(),
  /** For an answer requested with a schema, which its run has. */
  hasSchema: z.literal(true).optional(),
  /** null: not rated. Questions have no rating. */
  rating: AnswerRating.nullable(),
  /** The ids of all messages with the same parent, including this one, oldest first: the branches. */
  siblings: z.array(Id),
  /**
   * For an answer: the ids of the answers that several models were asked for at once, including this one, in the order
   * requested; otherwise empty.
   */
  together: z.array(Id),
  /** The one of `together` that was chosen to continue with, by showing it; null: none so far. */
  chosenId: Id.nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
  /**
   * Why a complete answer was cut: it reached the output limit, or the provider’s filter ended it; null: it was not, or
   * `state` says why.
   */
  endedEarly: EndedEarly.nullable(),
  /** For an answer that was continued after it had ended early. */
  continued: z.literal(true).optional(),
  /** Total reasoning time in milliseconds; left out: none, or not measured. */
  thoughtMs: z.number().int().optional(),
  /** Left out: this message and those before it are not summarized here. */
  summary: Summary.optional(),
});
export type Message = z.output<typeof Message>;

export const Run = z.object({
  id: Id,
  threadId: Id,
  messageId: Id,
  state: RunState,
});
export type Run = z.output<typeof Run>;

/**
 * Events of an answer, in order. `finished` or `failed` comes exactly once, last. A continued run continues the
 * numbering.
 */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('reasoning'),
    text: z.string(),
    /** Reasoning time so far in milliseconds, sent with an empty text whenever the model stops reasoning. */
    thoughtMs: z.number().int().optional(),
  }),
  z.object({ type: z.literal('note'), text: z.string() }),
  /** A file of the assistant that the answer is based on. */
  z.object({ type: z.literal('source'), text: z.string() }),
  /** The preceding text is based on this file. */
  z.object({ type: z.literal('citation'), fileId: Id }),
  /** The preceding text is based on this web page. */
  WebLink.extend({ type: z.literal('link') }),
  /** A tool call or its new state, which replaces the earlier event with the same `callId`. */
  z.object({ type: z.literal('tool'), call: ToolCall }),
  Usage.extend({ type: z.literal('usage') }),
  z.object({ type: z.literal('finished'), reason: z.enum(['complete', 'stopped', 'length', 'content_filter']) }),
  z.object({ type: z.literal('failed'), error: RunError }),
]);
export type RunEvent = z.output<typeof RunEvent>;

const byId = z.strictObject({ id: PathId });
/** The reason for denying a call, which the model reads. */
export const approvalReasonLimit = 1_000;
/** The user’s decision on a tool call. `approve_thread`: also for later calls of the tool in this conversation. */
export const ApprovalDecision = z.enum(['approve', 'approve_thread', 'deny']);
export type ApprovalDecision = z.output<typeof ApprovalDecision>;
const Flag = z.enum(['true', 'false']).transform((value) => value === 'true');

const ModelId = modelText('A model’s name cannot exceed 200 characters', 'Choose a model').transform((id) => id.trim());

/** A conversation is answered either by an assistant or by a model. */
const oneAnswers = ({ assistantId, model }: { assistantId?: unknown; model?: unknown }) =>
  typeof assistantId !== 'number' || typeof model !== 'string';
const bothAnswer = { message: 'Choose an assistant or a model, not both', path: ['model'] };

export const parallelModelLimit = 4;

/** The longest text to find in one conversation, in characters. */
export const findLimit = 200;

/** true: send although a budget with a hard stop has refused this call. */
const OverBudget = z.boolean().optional();

export const MessageDraft = z.strictObject({
  message: requiredText(messageLimit, 'Message cannot exceed 10000 characters', 'Message is required'),
  clientId: ClientId,
  /** Attached files, in this order. */
  fileIds: z.array(Id).max(attachedFilesLimit, 'At most 20 files can be attached to a message').optional(),
  /** The message to reply to; left out: the end of the shown branch; null: the beginning. */
  parentId: Id.nullable().optional(),
  /** Several answers in parallel, one per model, with everything else as in the conversation; the first is shown. */
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
      'Lists the conversations, pinned first, then newest first; without `programs`, those in the archive or those that no program created. `q` searches titles and messages of all: words, "exact words", -not, title:word. The other parameters select conversations with that assistant or model, in that project, with a message in that time, with files, or with an answer rated so.',
    query: z.strictObject({
      limit: positiveInteger(100).default(50),
      cursor: z.string().max(200).optional(),
      q: z.string().max(200).optional(),
      archived: Flag.optional(),
      programs: Flag.optional(),
      assistant: PathId.optional(),
      model: ModelId.optional(),
      /** Messages from this moment on, before `to`. */
      from: z.iso.datetime().optional(),
      to: z.iso.datetime().optional(),
      files: Flag.optional(),
      rating: z.enum(['good', 'bad']).optional(),
      project: PathId.optional(),
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
        connectionId: ConnectionOfModel,
        tools: ThreadTools.optional(),
        /** In no list, search or export; deleted when it is closed or after 24 hours. */
        temporary: z.boolean().optional(),
        /** Its assistant or model answers if none is given. */
        projectId: Id.optional(),
      })
      .refine(oneAnswers, bothAnswer)
      .refine(hasPlainModel, plainModelMissing),
    output: Thread,
    status: 201,
  }),
  thread: endpoint({
    method: 'GET',
    path: '/api/threads/:id',
    access: 'user',
    summary: 'Returns one conversation.',
    params: byId,
    output: Thread,
  }),
  updateThread: endpoint({
    method: 'PATCH',
    path: '/api/threads/:id',
    access: 'user',
    summary:
      'Renames, pins or archives a conversation, changes its assistant, model or tools, or shows another branch.',
    params: byId,
    body: z
      .strictObject({
        title: Title.optional(),
        pinned: z.boolean().optional(),
        archived: z.boolean().optional(),
        assistantId: Id.nullable().optional(),
        model: ModelId.nullable().optional(),
        connectionId: ConnectionOfModel,
        /** Replaces the earlier switches from the next message on; null: all as the assistant has them. */
        tools: ThreadTools.nullable().optional(),
        /** Shows the branch through this message, down to its newest end. */
        shownMessageId: Id.optional(),
      })
      .refine(oneAnswers, bothAnswer)
      .refine(hasPlainModel, plainModelMissing),
    output: Thread,
  }),
  removeThread: endpoint({
    method: 'DELETE',
    path: '/api/threads/:id',
    access: 'user',
    summary:
      'Stops the run of a conversation and moves it to the trash, for 30 days. A temporary one is deleted at once.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  exportThread: endpoint({
    method: 'GET',
    path: '/api/threads/:id/export',
    access: 'user',
    summary: 'Exports the shown branch as Markdown, or the whole conversation with all branches as JSON.',
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
      'Lists a page of messages of the shown branch, oldest first: the latest, those around a message, or those before or after a cursor.',
    params: byId,
    query: z.strictObject({
      limit: positiveInteger(200).default(50),
      cursor: z.string().max(200).optional(),
      around: PathId.optional(),
    }),
    output: z.object({
      items: z.array(Message),
      /** Towards older messages. */
      nextCursor: z.string().nullable(),
      /** Towards newer messages. */
      newerCursor: z.string().nullable(),
    }),
  }),
  findInThread: endpoint({
    method: 'GET',
    path: '/api/threads/:id/find',
    access: 'user',
    summary:
      'Searches a branch, ignoring case, oldest first: text, reasoning, names of files, and the input and output of tools.',
    params: byId,
    query: z.strictObject({
      q: requiredText(findLimit, `Type at most ${findLimit} characters`, 'Type the text to find'),
      /** The branch through this message; left out: the shown one. */
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
    summary: 'Stores a message and starts the answer, or the answers of several models.',
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
    summary: 'Lists the newest 20 answers to a question, oldest first.',
    params: byId,
    output: z.object({ items: z.array(Message) }),
  }),
  regenerate: endpoint({
    method: 'POST',
    path: '/api/messages/:id/regenerate',
    access: 'user',
    rate: 'messages',
    summary: 'Regenerates an answer, or answers a question again. The old answer stays.',
    params: byId,
    body: z.strictObject({
      clientId: ClientId.optional(),
      /** Left out: the conversation’s assistant or model. */
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
      'Continues an answer that was stopped, interrupted, cut off or failed. The same run appends the new text to the same message.',
    params: byId,
    body: z.strictObject({ clientId: ClientId, overBudget: OverBudget }),
    output: z.object({ message: Message, run: Run }),
    status: 202,
  }),
  rate: endpoint({
    method: 'POST',
    path: '/api/messages/:id/rating',
    access: 'user',
    summary: 'Rates an answer as good or bad, or corrects it. Fields that are left out stay unchanged.',
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
    summary: 'Streams the events of a run, numbered from 1; `Last-Event-ID` resumes after the last one seen.',
    params: byId,
    output: RunEvent,
    respondsWith: 'events',
  }),
  responseSchema: endpoint({
    method: 'GET',
    path: '/api/runs/:id/response-schema',
    access: 'user',
    summary: 'Returns the JSON schema that the answer of a run had to follow, as text; null if there was none.',
    params: byId,
    output: z.object({ schema: z.string().nullable() }),
  }),
  stop: endpoint({
    method: 'POST',
    path: '/api/runs/:id/stop',
    access: 'user',
    summary: 'Stops a run. A run that has ended stays unchanged.',
    params: byId,
    output: Run,
  }),
  approve: endpoint({
    method: 'POST',
    path: '/api/runs/:id/approvals/:callId',
    access: 'user',
    summary:
      'Approves or denies a tool call that a run is waiting for; a Viewer can only deny it. The run continues once all calls are decided.',
    params: z.strictObject({ id: PathId, callId: z.string().regex(/^[\x21-\x7e]{1,220}$/) }),
    body: z.strictObject({
      decision: ApprovalDecision,
      /** The reason for denying, which the model reads. */
      reason: textUpTo(approvalReasonLimit, 'The reason cannot exceed 1000 characters').optional(),
    }),
    output: Run,
  }),
};
