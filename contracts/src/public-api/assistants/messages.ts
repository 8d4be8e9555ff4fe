import { z } from 'zod';
import { codePointLength } from '../../text/length.ts';
import { requiredText } from '../../text/text.ts';
import { apiEndpoint } from '../endpoint.ts';
import { ApiId, apiDeleted, apiList, apiPage } from '../list.ts';
import { Metadata } from '../metadata.ts';
import { AttachmentTool } from './tools.ts';

/** Characters of all texts of a message together. */
const apiMessageLimit = 256_000;
const maxParts = 100;
const apiImageLimit = 20;

const tooLong = `A message can have at most ${apiMessageLimit} characters.`;
const Text = requiredText(apiMessageLimit, tooLong, 'Message content must be non-empty.');

const Detail = z.enum(['auto', 'low', 'high']);

const TextPart = z.strictObject({ type: z.literal('text'), text: Text });
const ImageFilePart = z.strictObject({
  type: z.literal('image_file'),
  image_file: z.strictObject({ file_id: ApiId, detail: Detail.default('auto') }),
});
const ImageUrlPart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    /** Fetched by the provider, not by Roster. */
    url: z
      .url({ protocol: /^https?$/, error: 'The URL of an image must begin with https:// or http://.' })
      .max(8_192)
      .regex(/^\S+$/, 'This is not the URL of an image.'),
    detail: Detail.default('auto'),
  }),
});
const ContentPart = z.discriminatedUnion('type', [TextPart, ImageFilePart, ImageUrlPart]);
export type ApiContentPart = z.output<typeof ContentPart>;

/** A plain text becomes one part. */
const Content = z.preprocess(
  (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
  z
    .array(ContentPart)
    .min(1, 'Message content must be non-empty.')
    .max(maxParts)
    .refine((parts) => parts.filter(({ type }) => type !== 'text').length <= apiImageLimit, {
      message: `A message can have at most ${apiImageLimit} images.`,
    })
    .refine((parts) => lengthOf(parts) <= apiMessageLimit, tooLong),
);
const lengthOf = (parts: ApiContentPart[]) =>
  parts.reduce((sum, part) => sum + (part.type === 'text' ? codePointLength(part.text) : 0), 0);

const attachments = z
  .array(z.strictObject({ file_id: ApiId, tools: z.array(AttachmentTool).min(1).max(2) }))
  .max(20)
  .nullish();

export const NewApiMessage = z
  .strictObject({
    role: z.enum(['user', 'assistant']),
    content: Content,
    attachments,
    metadata: Metadata.nullish(),
  })
  .refine(
    ({ role, content, attachments }) =>
      role === 'user' || (!attachments?.length && content.every(({ type }) => type === 'text')),
    { message: 'Images and files can only be in messages of the role user.', path: ['content'] },
  );
export type NewApiMessage = z.output<typeof NewApiMessage>;

const Annotation = z.object({
  type: z.enum(['file_citation', 'file_path']),
  text: z.string(),
  start_index: z.number().int(),
  end_index: z.number().int(),
  file_citation: z.object({ file_id: z.string() }).optional(),
  file_path: z.object({ file_id: z.string() }).optional(),
});

export const ApiMessage = z.object({
  id: z.string(),
  object: z.literal('thread.message'),
  created_at: z.number().int(),
  thread_id: z.string(),
  status: z.enum(['in_progress', 'incomplete', 'completed']),
  incomplete_details: z
    .object({ reason: z.enum(['content_filter', 'max_tokens', 'run_cancelled', 'run_expired', 'run_failed']) })
    .nullable(),
  completed_at: z.number().int().nullable(),
  incomplete_at: z.number().int().nullable(),
  role: z.enum(['user', 'assistant']),
  content: z.array(
    z.discriminatedUnion('type', [
      z.object({
        type: z.literal('text'),
        text: z.object({ value: z.string(), annotations: z.array(Annotation) }),
      }),
      ImageFilePart,
      ImageUrlPart,
    ]),
  ),
  assistant_id: z.string().nullable(),
  run_id: z.string().nullable(),
  attachments: z.array(z.object({ file_id: z.string(), tools: z.array(AttachmentTool) })),
  metadata: z.record(z.string(), z.string()),
});
export type ApiMessage = z.output<typeof ApiMessage>;

const ofThread = z.strictObject({ id: ApiId });
const oneOfThread = z.strictObject({ id: ApiId, messageId: ApiId });
const common = { right: 'chat', keepsTexts: true, isBeta: true } as const;

export const apiMessages = {
  create: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads/:id/messages',
    summary: 'Adds a message to the end of a thread. No answer is started.',
    params: ofThread,
    body: NewApiMessage,
    output: ApiMessage,
    bodyLimit: 2 * 1024 * 1024,
  }),
  list: apiEndpoint({
    ...common,
    method: 'GET',
    path: '/v1/threads/:id/messages',
    summary: 'Lists the messages of a thread, as its page shows them.',
    params: ofThread,
    query: z.strictObject({ ...apiPage, run_id: ApiId.optional() }),
    output: apiList(ApiMessage),
  }),
  get: apiEndpoint({
    ...common,
    method: 'GET',
    path: '/v1/threads/:id/messages/:messageId',
    summary: 'Returns one message.',
    params: oneOfThread,
    output: ApiMessage,
  }),
  modify: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads/:id/messages/:messageId',
    summary: 'Changes the metadata of a message.',
    params: oneOfThread,
    body: z.strictObject({ metadata: Metadata.nullish() }),
    output: ApiMessage,
  }),
  remove: apiEndpoint({
    ...common,
    method: 'DELETE',
    path: '/v1/threads/:id/messages/:messageId',
    summary: 'Deletes a message. The messages around it stay.',
    params: oneOfThread,
    output: apiDeleted('thread.message.deleted'),
  }),
};
