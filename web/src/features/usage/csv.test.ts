import type { Figures } from '@roster/contracts/usage/usage';
import { expect, test } from 'vitest';
import { analyticsCsv } from './csv.ts';

test('writes totals, days, models, assistants, tokens and requests in one table', () => {
  const none: Figures = {
    requests: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    costUsd: 0,
    unpricedRequests: 0,
    estimatedRequests: 0,
  };
  const some = { ...none, requests: 2, inputTokens: 10, cachedTokens: 4, outputTokens: 6, reasoningTokens: 1 };
  const priced = { ...some, costUsd: 0.0031 };
  const unpriced = { ...some, costUsd: null, unpricedRequests: 2 };
  const csv = analyticsCsv(
    { from: '2026-11-20', to: '2026-11-21' },
    {
      totals: { ...some, requests: 4, costUsd: 0.0031, unpricedRequests: 2, estimatedRequests: 1 },
      previous: { ...none, from: '2026-11-18', to: '2026-11-19' },
      byDay: [
        { day: '2026-11-20', ...priced },
        { day: '2026-11-21', ...unpriced },
      ],
      byModel: [
        { model: 'gpt-4o', family: null, ...priced },
        { model: 'home-made', family: null, ...unpriced },
      ],
      byAssistant: [
        { assistant: { id: 3, name: '=Tutor' }, ...priced },
        { assistant: { id: 4, name: null }, ...some },
        { assistant: null, ...unpriced },
      ],
      byTool: [
        { tool: 'file_search', calls: 4, costUsd: 0.01, unpricedCalls: 0, price: null },
        { tool: 'web_search', calls: 2, costUsd: null, unpricedCalls: 2, price: null },
      ],
      fineTuning: [{ model: 'gpt-4.1', jobs: 2, trainedTokens: 900, costUsd: 0.0225, unpricedJobs: 1 }],
      storage: null,
      byAccessToken: [{ accessToken: { id: 5, name: 'Script', isRevoked: false }, ...priced }],
      recent: [
        {
          id: 9,
          at: '2026-11-21T10:00:00.000Z',
          model: 'home-made',
          purpose: 'chat',
          assistant: null,
          accessToken: { id: 5, name: 'Script' },
          thread: { id: 7, title: 'Tides, mostly' },
          comparisonId: null,
          jobId: null,
          inputTokens: 10,
          cachedTokens: 4,
          outputTokens: 6,
          reasoningTokens: 1,
          costUsd: null,
          serviceTier: null,
          estimated: true,
        },
      ],
    },
  );
  const lines = csv.split('\r\n');
  expect(lines.slice(1)).toEqual([
    'Total,2026-11-20,2026-11-21,,,,,,,4,10,4,6,1,0.0031,in part,2,1',
    'Period before,2026-11-18,2026-11-19,,,,,,,0,0,0,0,0,0,yes,0,0',
    'Day,2026-11-20,2026-11-20,,,,,,,2,10,4,6,1,0.0031,yes,0,0',
    'Day,2026-11-21,2026-11-21,,,,,,,2,10,4,6,1,,no,2,0',
    'Model,2026-11-20,2026-11-21,,gpt-4o,,,,,2,10,4,6,1,0.0031,yes,0,0',
    'Model,2026-11-20,2026-11-21,,home-made,,,,,2,10,4,6,1,,no,2,0',
    "Assistant,2026-11-20,2026-11-21,,,'=Tutor,,,,2,10,4,6,1,0.0031,yes,0,0",
    'Assistant,2026-11-20,2026-11-21,,,Deleted assistant 4,,,,2,10,4,6,1,0,yes,0,0',
    'Assistant,2026-11-20,2026-11-21,,,No assistant,,,,2,10,4,6,1,,no,2,0',
    'Tool,2026-11-20,2026-11-21,,File search,,,,,4,,,,,0.01,yes,0,0',
    'Tool,2026-11-20,2026-11-21,,Web search,,,,,2,,,,,,no,2,0',
    'Fine-tuning,2026-11-20,2026-11-21,,gpt-4.1,,,,,2,900,,,,0.0225,in part,1,0',
    'Access token,2026-11-20,2026-11-21,,,,Script,,,2,10,4,6,1,0.0031,yes,0,0',
    'Request,2026-11-20,2026-11-21,2026-11-21T10:00:00.000Z,home-made,No assistant,Script,chat,"Tides, mostly",1,10,4,6,1,,no,1,1',
    '',
  ]);
  const columns = lines[0]?.split(',').length;
  expect(new Set(lines.slice(1, -2).map((line) => line.split(',').length))).toEqual(new Set([columns]));
});
