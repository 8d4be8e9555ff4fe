import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { CallLog, Cost, OngoingCall } from '#server/features/public-api/shared/call-log';
import type { Ids } from '#server/features/public-api/shared/ids';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { PublicApiError } from '#server/http/public-api/errors';
import type { Outcome } from './answer.ts';
import { CancelledError } from './background.ts';
import type { ParsedRequest } from './parse-request.ts';
import { type ResponseRepository, responseRepository } from './repository.ts';
import { type ResponseObject, responseBase } from './response-object.ts';

const keptForMs = 30 * 86_400_000;
/** Per user, including a small amount for each response. */
const maxBytes = 512 * 1024 * 1024;

type Dependencies = {
  calls: Pick<CallLog, 'begin'>;
  ids: () => Promise<Ids>;
  /** Uses the read connection. */
  reading: Pick<ResponseRepository, 'takes'>;
};

/** A response in progress. */
export type PendingResponse = {
  /** Its initial state. */
  base: ResponseObject;
  /** Numeric id; null if it is not stored. */
  id: number | null;
  /** Takes effect once. If `outcome` is undefined, nothing came of it and it is not stored. */
  end: (cost: Cost | null, outcome: Outcome | undefined) => Promise<void>;
  /**
   * Ends the request with its cost, and begins another one for the same response in the same transaction.
   * @throws CancelledError if it was cancelled or deleted meanwhile; not_signed_in
   */
  askedAgain: (order: ParsedRequest, cost: Cost | null) => Promise<PendingResponse>;
};

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcde';
/** Id of a response that is not stored. */
const passingId = () => `resp_${Array.from({ length: 24 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;

/** Error of a response whose process has stopped. */
export const interrupted = JSON.stringify({
  code: 'server_error',
  message: 'Roster stopped while this response was being written. Ask again.',
});

const fieldsOf = ({ output: _, id: __, ...fields }: ResponseObject) => JSON.stringify(fields);

/**
 * Stores responses: from before the provider is asked, in one transaction with the call, to the end, in one with its
 * cost.
 */
export function responseStore({ calls, ids, reading }: Dependencies) {
  async function refuseWhenFull(userId: number) {
    if ((await reading.takes(userId)) < maxBytes) return;
    throw new PublicApiError(
      'invalid_input',
      `Your stored responses have reached the limit of ${maxBytes / 1024 / 1024} MiB. Delete some, or send store: false.`,
      { param: 'store', code: 'response_storage_full' },
    );
  }

  return {
    /** @throws not_signed_in if the token is no longer valid */
    async begin({ userId, tokenId }: ApiPrincipal, order: ParsedRequest): Promise<PendingResponse> {
      const { body, kept, previousId, isStored, isBackground } = order;
      const { encode } = await ids();
      const createdAt = Date.now();
      const target = askedBy(order);
      const call = { userId, createdAt: Math.floor(createdAt / 1000) };
      if (!isStored)
        return pending({ ...call, id: null, name: passingId() }, order, await calls.begin({ userId, tokenId }, target));
      await refuseWhenFull(userId);
      let id = 0;
      const stored = await calls.begin({ userId, tokenId }, target, async (trx, callId) => {
        id = await responseRepository(trx).insert({
          userId,
          tokenId,
          assistantId: target.assistantId,
          model: body.model,
          previousId,
          state: isBackground ? 'queued' : 'in_progress',
          isBackground,
          fields: fieldsOf(baseOf(order, { name: '', createdAt: call.createdAt })),
          callId,
          input: kept,
          expiresAt: new Date(createdAt + keptForMs).toISOString(),
        });
      });
      return pending({ ...call, id, name: encode('resp', id) }, order, stored);
    },
  };
}

const askedBy = ({ assistant, model, inputTokens }: ParsedRequest) => ({
  assistantId: assistant?.assistantId ?? null,
  model,
  inputTokens,
});

type OpenResponse = { userId: number; id: number | null; name: string; createdAt: number };

function baseOf(order: ParsedRequest, { name, createdAt }: Pick<OpenResponse, 'name' | 'createdAt'>): ResponseObject {
  const { body, model, tools, isStored, isBackground } = order;
  const previousId = body.previous_response_id ?? null;
  return responseBase(body, tools.tools, { id: name, createdAt, previousId, isStored, isBackground, model });
}

function pending(response: OpenResponse, order: ParsedRequest, call: OngoingCall): PendingResponse {
  const { userId, id } = response;
  const base = baseOf(order, response);
  let isEnded = false;
  return {
    base,
    id,
    async end(cost, outcome) {
      if (isEnded) return;
      isEnded = true;
      await call.end(cost, id === null ? undefined : (trx) => keep(trx, userId, id, outcome));
    },
    async askedAgain(next, cost) {
      const fields = fieldsOf(baseOf(next, response));
      const nextCall = await call.replace(cost, askedBy(next), async (trx, callId) => {
        if (id !== null && !(await responseRepository(trx).askedAgain(userId, id, { callId, fields })))
          throw new CancelledError('The response was cancelled.');
      });
      isEnded = true;
      return pending(response, next, nextCall);
    },
  };
}

async function keep(trx: Kysely<Database>, userId: number, id: number, outcome: Outcome | undefined) {
  const repository = responseRepository(trx);
  if (!outcome) return void (await repository.remove(userId, id));
  const { status, output, error } = outcome.response;
  const fields = fieldsOf(outcome.response);
  await repository.end(userId, id, { state: status, fields, error: error ? JSON.stringify(error) : null, output });
}
