import { z } from 'zod';
import { ApiId } from '../list.ts';
import { StoreDraft } from '../vector-stores.ts';

const CodeInterpreterTool = z.strictObject({ type: z.literal('code_interpreter') });

const FileSearchTool = z.strictObject({
  type: z.literal('file_search'),
  file_search: z
    .strictObject({
      max_num_results: z.number().int().min(1).max(50).optional(),
      ranking_options: z
        .strictObject({
          ranker: z.enum(['auto', 'default_2024_08_21']).optional(),
          score_threshold: z.number().min(0).max(1),
        })
        .optional(),
    })
    .optional(),
});

/** A function that the client runs itself. */
const FunctionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'The name of a function must have 1 to 64 letters, digits, _ or -.'),
    description: z.string().max(1024).optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullable().optional(),
  }),
});

export const apiToolLimit = 128;
export const ApiTool = z.discriminatedUnion('type', [CodeInterpreterTool, FileSearchTool, FunctionTool]);
export type ApiTool = z.output<typeof ApiTool>;
export const ApiTools = z.array(ApiTool).max(apiToolLimit);

/** The tool that reads an attached file. */
export const AttachmentTool = z.strictObject({ type: z.enum(['code_interpreter', 'file_search']) });

const codeInterpreter = z.strictObject({ file_ids: z.array(ApiId).max(20).optional() }).optional();
const vectorStoreIds = z.array(ApiId).max(1).optional();

export const ToolResources = z.strictObject({
  code_interpreter: codeInterpreter,
  file_search: z.strictObject({ vector_store_ids: vectorStoreIds }).optional(),
});
export type ToolResources = z.output<typeof ToolResources>;

/** For creation: a vector store may be created along with the object. */
export const NewToolResources = z.strictObject({
  code_interpreter: codeInterpreter,
  file_search: z
    .strictObject({
      vector_store_ids: vectorStoreIds,
      vector_stores: z
        .array(StoreDraft.pick({ file_ids: true, chunking_strategy: true, metadata: true }))
        .max(1)
        .optional(),
    })
    .optional(),
});
export type NewToolResources = z.output<typeof NewToolResources>;

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/, 'The name of a schema must have 1 to 64 letters, digits, _ or -.'),
      description: z.string().max(1024).optional(),
      schema: z.record(z.string(), z.unknown()).optional(),
      strict: z.boolean().nullable().optional(),
    }),
  }),
]);
/** The required form of an answer. */
export const ResponseFormat = z.union([z.literal('auto'), format]);
export type ResponseFormat = z.output<typeof ResponseFormat>;
