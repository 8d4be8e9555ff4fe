import type { VersionOrigin } from '@roster/contracts/assistants/versions';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Router } from '#server/http/app-router/router';
import type { PublicApiRouter } from '#server/http/public-api/router';
import type { JobHandler } from '#server/jobs/define';
import type { ScheduledTask } from '#server/lib/scheduled-task';

/**
 * The parts that a feature registers with the application. Its repositories and services stay private; what other features need
 * is returned next to these and passed on by app/features.ts.
 */
export type Feature = {
  routes?: (router: Router) => void;
  /** Routes that clients call with an access token, under /v1. */
  apiRoutes?: (router: PublicApiRouter) => void;
  /** Handlers of its background jobs. */
  jobs?: readonly JobHandler[];
  upkeep?: readonly ScheduledTask[];
  /** Finalizes or resumes what a crash left behind, before the server accepts requests. */
  recover?: () => Promise<void>;
  /** Resumes work that was waiting for a provider key. */
  keySaved?: (userId: number) => Promise<void>;
  exportParts?: readonly ExportPart[];
  removalPart?: AccountRemovalPart;
  /** Deletes what Roster has created at the provider for a user. */
  removeAtProvider?: RemoveAtProvider;
  /** Drains what is running and starts nothing more. */
  close?: () => Promise<void>;
};

/** A file in the archive; its content is requested after the files before it have been read. */
export type ExportEntry = { name: string; content: AsyncIterable<string | Buffer> | Iterable<string | Buffer> };

/** A feature's part of the archive with all data of a user. */
export type ExportPart = {
  /** Lines for README.txt: each file and its content. */
  description: string[];
  /** Read one after the other, each to its end, so that only a batch of rows is in memory. */
  entries: (userId: number) => AsyncIterable<ExportEntry>;
};

/** A feature's part in deleting an account. Rows owned by the account are removed by ON DELETE CASCADE. */
export type AccountRemovalPart = {
  /** Stops the user's running work in all processes and refuses new work until `next` is done. */
  atRest: <T>(userId: number, next: () => Promise<T>) => Promise<T>;
  /**
   * Runs in the transaction that locks the user: removes rows that do not cascade. Returns false if other work has
   * started since; the transaction must then roll back.
   */
  remove: (trx: Kysely<Database>, userId: number) => Promise<boolean>;
};

/** Objects that could not be deleted at the provider, with their singular and plural names. */
export type ProviderLeftovers = { left: number; one: string; many: string };
export type RemoveAtProvider = (userId: number) => Promise<ProviderLeftovers[]>;

/** Runs `work`, which changes one assistant, and stores the result as its next version if anything has changed. */
export type RecordVersion = <T>(
  trx: Kysely<Database>,
  change: { userId: number; assistantId: number; origin: VersionOrigin },
  work: () => Promise<T>,
) => Promise<T>;
