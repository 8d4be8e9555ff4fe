import type { Analytics, Figures, UsageRequest } from '@roster/contracts/usage/usage';
import { type Cell, toCsv } from '#web/lib/text/csv.ts';
import { answeredBy, assistantName, toolNames } from './names.ts';
import type { DayRange } from './shared/range.ts';

const header = [
  'Section',
  'From',
  'To',
  'Time (UTC)',
  'Model',
  'Assistant',
  'Access token',
  'Purpose',
  'Conversation',
  'Requests',
  'Input tokens',
  'Cached input tokens (part of input)',
  'Output tokens',
  'Reasoning tokens (part of output)',
  'Estimated cost (USD)',
  'Price known',
  'Requests with no known price',
  'Requests estimated by Roster',
];

const priceKnown = ({ requests, unpricedRequests }: Figures) =>
  unpricedRequests === 0 ? 'yes' : unpricedRequests < requests ? 'in part' : 'no';

const figures = (given: Figures): Cell[] => [
  given.requests,
  given.inputTokens,
  given.cachedTokens,
  given.outputTokens,
  given.reasoningTokens,
  given.costUsd,
  priceKnown(given),
  given.unpricedRequests,
  given.estimatedRequests,
];

const requestRow = (range: DayRange, request: UsageRequest): Cell[] => [
  request.purpose === 'training' ? 'Fine-tuning job' : 'Request',
  range.from,
  range.to,
  request.at,
  request.model,
  answeredBy(request),
  request.accessToken?.name ?? null,
  request.purpose,
  request.thread?.title ?? (request.temporary ? 'Temporary chat' : null),
  1,
  request.inputTokens,
  request.cachedTokens,
  request.outputTokens,
  request.reasoningTokens,
  request.costUsd,
  request.costUsd === null ? 'no' : 'yes',
  request.costUsd === null ? 1 : 0,
  request.estimated ? 1 : 0,
];

/** Tool calls have no tokens of their own. */
const toolFigures = ({ calls, costUsd, unpricedCalls }: Analytics['byTool'][number]): Cell[] => [
  calls,
  ...[null, null, null, null],
  costUsd,
  unpricedCalls === 0 ? 'yes' : unpricedCalls < calls ? 'in part' : 'no',
  unpricedCalls,
  0,
];
/** Trained tokens are counted as input tokens. */
const jobFigures = ({ jobs, trainedTokens, costUsd, unpricedJobs }: Analytics['fineTuning'][number]): Cell[] => [
  ...[jobs, trainedTokens, null, null, null],
  costUsd,
  unpricedJobs === 0 ? 'yes' : unpricedJobs < jobs ? 'in part' : 'no',
  unpricedJobs,
  0,
];
const nobody = [null, null, null, null];

/** Columns that only single calls have: time, model, assistant, access token, purpose, conversation. */
const none = [null, null, null, null, null, null];

/** Everything on the page in one table; the first column names the kind of row. */
export function analyticsCsv(range: DayRange, shown: Analytics): string {
  const { from, to } = range;
  const { totals, previous, byDay, byModel, byAssistant, byTool, fineTuning, byAccessToken, recent } = shown;
  return toCsv([
    header,
    ['Total', from, to, ...none, ...figures(totals)],
    ['Period before', previous.from, previous.to, ...none, ...figures(previous)],
    ...byDay.map((day) => ['Day', day.day, day.day, ...none, ...figures(day)]),
    ...byModel.map((row) => ['Model', from, to, null, row.model, null, null, null, null, ...figures(row)]),
    ...byAssistant.map((row) => [
      'Assistant',
      from,
      to,
      null,
      null,
      assistantName(row.assistant),
      null,
      null,
      null,
      ...figures(row),
    ]),
    ...byTool.map((row) => ['Tool', from, to, null, toolNames[row.tool], ...nobody, ...toolFigures(row)]),
    ...fineTuning.map((row) => ['Fine-tuning', from, to, null, row.model, ...nobody, ...jobFigures(row)]),
    ...byAccessToken.map(({ accessToken: { name }, ...row }) => [
      'Access token',
      from,
      to,
      null,
      null,
      null,
      name,
      null,
      null,
      ...figures(row),
    ]),
    ...recent.map((request) => requestRow(range, request)),
  ]);
}
