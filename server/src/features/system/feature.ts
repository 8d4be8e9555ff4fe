import { system as api } from '@roster/contracts/system';
import type { Feature } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { requeue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { systemMetrics } from './metrics.ts';
import { type SystemSources, systemReport } from './report.ts';

function systemRoutes({ route }: Router, sources: SystemSources) {
  route(api.report, () => systemReport(sources));
  route(api.retryJob, async ({ actor, params: { id: jobId }, request }) => {
    const kind = await sources.database.db.transaction().execute(async (trx) => {
      await actor.recheckAccess(trx);
      return requeue(trx, jobId);
    });
    if (kind === undefined) throw new AppError('not_found', 'This failed job no longer exists. Refresh the page.');
    request.log.info({ event: 'job_retried', jobId, kind, by: actor.userId }, 'failed job queued again');
  });
}

export function systemFeature(sources: SystemSources) {
  return {
    routes: (router: Router) => systemRoutes(router, sources),
    /** For metrics. */
    figures: () => systemMetrics(sources),
  } satisfies Feature & { figures: unknown };
}
