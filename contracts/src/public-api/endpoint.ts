import { z } from 'zod';
import type { TokenPermission } from '../api-tokens.ts';
import { Empty, type Rate } from '../endpoint.ts';

/** A call under /v1, which programs make with an access token. */
export type ApiEndpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = {
  method: 'GET' | 'POST' | 'DELETE';
  path: `/v1/${string}`;
  /** What the token must be allowed to do; a list where either will do. */
  right: TokenPermission | readonly TokenPermission[];
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  output: Output;
  /** `multipart`: a form of the texts in `body` and exactly one file, in the part `file`. */
  accepts: 'json' | 'multipart';
  /** Bytes of JSON; for `multipart` those of the file. */
  bodyLimit: number;
  /** Counted for its person beside the calls of the token, as the pages count it. */
  rate?: Rate;
  /** Its texts are kept, so they have to be what a database can hold. */
  keepsTexts: boolean;
  /** Answered only with the header `OpenAI-Beta: assistants=v2`. */
  isBeta: boolean;
};

type Description<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType> = Pick<
  ApiEndpoint,
  'method' | 'path' | 'right' | 'summary'
> &
  Partial<Pick<ApiEndpoint, 'accepts' | 'bodyLimit' | 'rate' | 'keepsTexts' | 'isBeta'>> & {
    params?: P;
    query?: Q;
    body?: B;
    output: O;
  };

/** Completes a description with the defaults: no parameters, no body, 256 KiB of JSON; texts are not kept; not beta. */
export function apiEndpoint<
  O extends z.ZodType,
  P extends z.ZodType = typeof Empty,
  Q extends z.ZodType = typeof Empty,
  B extends z.ZodType = typeof Empty,
>(description: Description<P, Q, B, O>): ApiEndpoint<P, Q, B, O>;
export function apiEndpoint(description: Description<z.ZodType, z.ZodType, z.ZodType, z.ZodType>): ApiEndpoint {
  return {
    params: Empty,
    query: Empty,
    body: Empty,
    accepts: 'json',
    bodyLimit: 256 * 1024,
    keepsTexts: false,
    isBeta: false,
    ...description,
  };
}

/** What a failed call under /v1 answers: the provider's shape, which its clients know. */
export const ApiErrorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
export type ApiErrorBody = z.output<typeof ApiErrorBody>;
