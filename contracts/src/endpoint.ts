import { z } from 'zod';

/** Roles that may make a call. `editor`: everybody but Viewers. */
type Access = 'public' | 'user' | 'editor' | 'admin';

/** Named rate limits, defined in server/src/http/limits/rate-limits.ts. A call without one counts against `default`. */
export type Rate =
  | 'default'
  | 'signIn'
  | 'register'
  | 'resetRequest'
  | 'resetAttempt'
  | 'keyUse'
  | 'messages'
  | 'uploads'
  | 'jobs';

/** An empty path, query or body. */
export const Empty = z.strictObject({});

/** Single definition of a call, used by the server, the browser and the API description. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` parts are filled in from `params`. */
  path: `/api/${string}`;
  access: Access;
  /** Also allowed to an account that must set up a second factor first. */
  beforeSetup: boolean;
  /** Requires that the user signed in, or confirmed their identity, within the last ten minutes. */
  fresh: boolean;
  rate: Rate;
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  output: Output;
  status: 200 | 201 | 202 | 204;
  /** `events`: server-sent events of type `output`. `bytes`: a download, for which `output` does not apply. */
  respondsWith: 'json' | 'events' | 'bytes';
  /** `multipart`: a form with the texts in `body` and exactly one file, in the part `file`. */
  accepts: 'json' | 'multipart';
  /** Bytes; 256 KiB of JSON by default. For `multipart`, bytes of the file. */
  bodyLimit?: number;
};

type Description<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType> = Pick<
  Endpoint,
  'method' | 'path' | 'access' | 'summary'
> &
  Partial<Pick<Endpoint, 'beforeSetup' | 'fresh' | 'rate' | 'status' | 'respondsWith' | 'accepts' | 'bodyLimit'>> & {
    params?: P;
    query?: Q;
    body?: B;
    output: O;
  };

/** Completes a description with defaults: no parameters, no body, status 200, JSON. */
export function endpoint<
  O extends z.ZodType,
  P extends z.ZodType = typeof Empty,
  Q extends z.ZodType = typeof Empty,
  B extends z.ZodType = typeof Empty,
>(description: Description<P, Q, B, O>): Endpoint<P, Q, B, O>;
export function endpoint(description: Description<z.ZodType, z.ZodType, z.ZodType, z.ZodType>): Endpoint {
  return {
    beforeSetup: false,
    fresh: false,
    rate: 'default',
    status: 200,
    respondsWith: 'json',
    accepts: 'json',
    params: Empty,
    query: Empty,
    body: Empty,
    ...description,
  };
}

/** The empty response of a call (204). */
export const NoContent = z.void();

const digits = /^(0|[1-9]\d{0,14})$/;

/**
 * An integer from 1 in a path or query. Only decimal digits are accepted, so that no other text (0x1e, 1e1, +30, 030, '
 * 30') can mean a number that the client did not write.
 */
export const positiveInteger = (most: number) =>
  z
    .preprocess(
      (written: number | string) => (typeof written === 'string' && digits.test(written) ? Number(written) : written),
      z.number().int().min(1).max(most),
    )
    .meta({ type: 'integer', minimum: 1, maximum: most });

/** The largest PostgreSQL integer. */
export const largestId = 2_147_483_647;

export const PathId = positiveInteger(largestId);

export const Id = z.number().int().min(1).max(largestId);

/** Idempotency key made by the client: repeating it returns the first response again. */
export const ClientId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, 'clientId must be 8 to 64 letters, digits, - or _');

/** ISO 8601, UTC. */
export const Time = z.string();
