import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { CallLog, Cost } from '#server/features/public-api/shared/call-log';
import type { Ids } from '#server/features/public-api/shared/ids';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { PublicApiError } from '#server/http/public-api/errors';
import type { Outcome } from './answer.ts';
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
      `Your stored responses take up all the room there is for them, ${maxBytes / 1024 / 1024} MiB. Delete some, or send store: false.`,
      { param: 'store', code: 'response_storage_full' },
    );
  }

  return {
    /** @throws not_signed_in if the token is no longer valid */
    async begin({ userId, tokenId }: ApiPrincipal, order: ParsedRequest): Promise<PendingResponse> {
      const { body, model, assistant, tools, kept, previousId, isStored, isBackground, inputTokens } = order;
      const { encode } = await ids();
      const createdAt = Date.now();
      const named = {
        createdAt: Math.floor(createdAt / 1000),
        previousId: body.previous_response_id ?? null,
        isStored,
        isBackground,
        model,
      };
      const asked = { assistantId: assistant?.assistantId ?? null, model, inputTokens };
      if (!isStored) {
        const stored = await calls.begin({ userId, tokenId }, asked);
        return {
          base: responseBase(body, tools.tools, { id: passingId(), ...named }),
          id: null,
          end: ending(userId, null, stored),
        };
      }
      await refuseWhenFull(userId);
      let id = 0;
      const stored = await calls.begin({ userId, tokenId }, asked, async (trx, callId) => {
        id = await responseRepository(trx).insert({
          userId,
          tokenId,
          assistantId: asked.assistantId,
          model: body.model,
          previousId,
          state: isBackground ? 'queued' : 'in_progress',
          isBackground,
          fields: fieldsOf(responseBase(body, tools.tools, { id: '', ...named })),
          callId,
          input: kept,
          expiresAt: new Date(createdAt + keptForMs).toISOString(),
        });
      });
      return {
        base: responseBase(body, tools.tools, { id: encode('resp', id), ...named }),
        id,
        end: ending(userId, id, stored),
      };
    },
  };
}

function ending(
  userId: number,
  id: number | null,
  stored: Awaited<ReturnType<CallLog['begin']>>,
): PendingResponse['end'] {
  let isEnded = false;
  return async (cost, outcome) => {
    if (isEnded) return;
    isEnded = true;
    await stored.end(cost, id === null ? undefined : (trx) => keep(trx, userId, id, outcome));
  };
}

async function keep(trx: Kysely<Database>, userId: number, id: number, outcome: Outcome | undefined) {
  const repository = responseRepository(trx);
  if (!outcome) return void (await repository.remove(userId, id));
  const { status, output, error } = outcome.response;
  const fields = fieldsOf(outcome.response);
  await repository.end(userId, id, { state: status, fields, error: error ? JSON.stringify(error) : null, output });
}
