import type { Endpoint } from '@roster/contracts/endpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { newToken } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { createAuthenticator } from '#server/testing/authenticator';
import { ask, clientId, messagesOf, newThread } from '#server/testing/chat';
import { compared, comparisonsPath, judged, judgingsPath, newComparison } from '#server/testing/comparisons';
import { newConnection } from '#server/testing/connections';
import { examplesOf, gathered, rated, ratedThread } from '#server/testing/datasets';
import { uploaded } from '#server/testing/files';
import { createTrainedJob, quick, trainable, trainingFile } from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';
import { uploadExport } from '#server/testing/imports';
import { addPasskey } from '#server/testing/passkeys';
import { newPrompt } from '#server/testing/prompts';
import { heldMessage, queueOf } from '#server/testing/queue';
import { newSet, runTestSet, setPath, setsPath, typed, versionOne } from '#server/testing/test-sets';
import { newServer } from '#server/testing/tool-servers';
import { newTrial } from '#server/testing/trials';

/** Data of a user; its words must reach no administrator. */
const planted = {
  key: `sk-${'plantedInTheKey'.repeat(3)}Zq7x`,
  last4: 'Zq7x',
  adminKey: `sk-admin-${'plantedInTheKey'.repeat(3)}Wv8y`,
  adminLast4: 'Wv8y',
  assistant: 'planted-in-the-name',
  instructions: 'planted-in-the-instructions',
  title: 'planted-in-the-title',
  message: 'planted-in-the-message',
  queued: 'planted-in-the-queue',
  correction: 'planted-in-the-correction',
  dataset: 'planted-in-the-dataset',
  filename: 'planted-in-the-filename.txt',
  content: 'planted-in-the-file',
  prompt: 'planted-in-the-prompt',
  savedPrompt: 'planted-in-the-saved-prompt',
  criteria: 'planted-in-the-criteria',
  training: 'planted-in-the-training',
  token: 'planted-in-the-token',
  passkey: 'planted-in-the-passkey',
  import: 'planted-in-the-import.json',
  toolServer: 'planted-in-the-tool-server',
  toolUrl: 'https://planted-in-the-address.example/',
  toolHeader: 'planted-in-the-header-Xu9z',
};
const markers = [...Object.values(planted), 'plantedInTheKey'];

type Owned = {
  userId: number;
  sessionId: string;
  passkeyId: number;
  assistantId: number;
  moveId: number;
  threadId: number;
  temporaryId: number;
  trialId: number;
  trashedId: number;
  queuedId: number;
  questionId: number;
  answerId: number;
  runId: number;
  budgetId: number;
  projectBudgetId: number;
  fileId: number;
  comparisonId: number;
  promptId: number;
  connectionId: number;
  savedPromptId: number;
  projectId: number;
  judgingId: number;
  testSetId: number;
  testRunId: number;
  trainingId: number;
  checkpointId: number;
  customModelId: number;
  datasetId: number;
  exampleId: number;
  noticeId: number;
  tokenId: number;
  toolServerId: number;
  importId: number;
  /** The administrator’s own. */
  ownTrainingFileId: number;
  ownThreadId: number;
  ownFileId: number;
  ownAssistantId: number;
  ownTestSetId: number;
  ownProjectId: number;
  ownQueuedId: number;
  ownDatasetId: number;
};
type Attempt = { path: string; body?: unknown };

const unknownId = 2_000_000_000;
const draft = () => ({ message: 'Let me in', clientId: clientId() });

/** Every call with an id in its path, applied to another user’s data: not found. */
const onTheirs: Record<string, (owned: Owned) => Attempt> = {
  'PATCH /api/user/passkeys/:id': ({ passkeyId }) => ({
    path: `/api/user/passkeys/${passkeyId}`,
    body: { name: 'Mine' },
  }),
  'DELETE /api/user/passkeys/:id': ({ passkeyId }) => ({ path: `/api/user/passkeys/${passkeyId}` }),
  'DELETE /api/user/sessions/:id': ({ sessionId }) => ({ path: `/api/user/sessions/${sessionId}` }),
  'POST /api/user/notices/:id/dismiss': ({ noticeId }) => ({ path: `/api/user/notices/${noticeId}/dismiss`, body: {} }),
  'POST /api/assistants/:id/duplicate': ({ assistantId }) => ({
    path: `/api/assistants/${assistantId}/duplicate`,
    body: {},
  }),
  'GET /api/assistants/:id/versions': ({ assistantId }) => ({ path: `/api/assistants/${assistantId}/versions` }),
  'GET /api/assistants/:id/versions/:number': ({ assistantId }) => ({
    path: `/api/assistants/${assistantId}/versions/1`,
  }),
  'POST /api/assistants/:id/versions/:number/restore': ({ assistantId }) => ({
    path: `/api/assistants/${assistantId}/versions/1/restore`,
    body: {},
  }),
  'GET /api/assistants/:id/questions': ({ assistantId }) => ({
    path: `/api/assistants/${assistantId}/questions?model=gpt-4.1`,
  }),
  'POST /api/assistants/:id/replays': ({ assistantId, answerId }) => ({
    path: `/api/assistants/${assistantId}/replays`,
    body: { fromModel: 'gpt-4.1', toModel: 'gpt-4o', answerIds: [answerId] },
  }),
  'POST /api/assistants/move/:id/undo': ({ moveId }) => ({ path: `/api/assistants/move/${moveId}/undo`, body: {} }),
  'GET /api/assistants/:id/export': ({ assistantId }) => ({ path: `/api/assistants/${assistantId}/export` }),
  'PATCH /api/assistants/:id': ({ assistantId }) => ({
    path: `/api/assistants/${assistantId}`,
    body: { name: 'Taken' },
  }),
  'DELETE /api/assistants/:id': ({ assistantId }) => ({ path: `/api/assistants/${assistantId}` }),
  'GET /api/assistants/:id/files': ({ assistantId }) => ({ path: `/api/assistants/${assistantId}/files` }),
  'POST /api/assistants/:id/files': ({ assistantId, fileId }) => ({
    path: `/api/assistants/${assistantId}/files`,
    body: { fileIds: [fileId] },
  }),
  'DELETE /api/assistants/:id/files/:fileId': ({ assistantId, fileId }) => ({
    path: `/api/assistants/${assistantId}/files/${fileId}`,
  }),
  'POST /api/assistants/:id/files/:fileId/retry': ({ assistantId, fileId }) => ({
    path: `/api/assistants/${assistantId}/files/${fileId}/retry`,
    body: {},
  }),
  'GET /api/threads/:id': ({ threadId }) => ({ path: `/api/threads/${threadId}` }),
  'PATCH /api/threads/:id': ({ threadId }) => ({ path: `/api/threads/${threadId}`, body: { title: 'Taken' } }),
  'DELETE /api/threads/:id': ({ threadId }) => ({ path: `/api/threads/${threadId}` }),
  'POST /api/threads/:id/keep': ({ temporaryId }) => ({ path: `/api/threads/${temporaryId}/keep`, body: {} }),
  'POST /api/threads/:id/leave': ({ temporaryId }) => ({ path: `/api/threads/${temporaryId}/leave`, body: {} }),
  'POST /api/threads/:id/reopen': ({ temporaryId }) => ({ path: `/api/threads/${temporaryId}/reopen`, body: {} }),
  'PATCH /api/assistants/trials/:id': ({ trialId }) => ({
    path: `/api/assistants/trials/${trialId}`,
    body: { settings: { model: 'gpt-4o', instructions: 'Mine now' } },
  }),
  'GET /api/trash/:id': ({ trashedId }) => ({ path: `/api/trash/${trashedId}` }),
  'POST /api/trash/:id/restore': ({ trashedId }) => ({ path: `/api/trash/${trashedId}/restore`, body: {} }),
  'DELETE /api/trash/:id': ({ trashedId }) => ({ path: `/api/trash/${trashedId}` }),
  'GET /api/threads/:id/export': ({ threadId }) => ({ path: `/api/threads/${threadId}/export?format=json` }),
  'GET /api/threads/:id/find': ({ threadId }) => ({ path: `/api/threads/${threadId}/find?q=a` }),
  'GET /api/threads/:id/messages': ({ threadId }) => ({ path: `/api/threads/${threadId}/messages` }),
  'POST /api/threads/:id/summary': ({ threadId }) => ({ path: `/api/threads/${threadId}/summary`, body: {} }),
  'PATCH /api/messages/:id/summary': ({ answerId }) => ({
    path: `/api/messages/${answerId}/summary`,
    body: { text: 'Taken' },
  }),
  'DELETE /api/messages/:id/summary': ({ answerId }) => ({ path: `/api/messages/${answerId}/summary` }),
  'GET /api/threads/:id/queue': ({ threadId }) => ({ path: `/api/threads/${threadId}/queue` }),
  'POST /api/threads/:id/queue': ({ threadId }) => ({ path: `/api/threads/${threadId}/queue`, body: draft() }),
  'PATCH /api/queued-messages/:id': ({ queuedId }) => ({
    path: `/api/queued-messages/${queuedId}`,
    body: { message: 'Taken' },
  }),
  'DELETE /api/queued-messages/:id': ({ queuedId }) => ({ path: `/api/queued-messages/${queuedId}` }),
  'POST /api/queued-messages/:id/send': ({ queuedId }) => ({ path: `/api/queued-messages/${queuedId}/send`, body: {} }),
  'POST /api/threads/:id/messages': ({ threadId }) => ({ path: `/api/threads/${threadId}/messages`, body: draft() }),
  'GET /api/messages/:id/answers': ({ answerId }) => ({ path: `/api/messages/${answerId}/answers` }),
  'POST /api/messages/:id/continue': ({ answerId }) => ({
    path: `/api/messages/${answerId}/continue`,
    body: { clientId: 'of-another-user' },
  }),
  'POST /api/messages/:id/regenerate': ({ answerId }) => ({ path: `/api/messages/${answerId}/regenerate`, body: {} }),
  'POST /api/messages/:id/rating': ({ answerId }) => ({
    path: `/api/messages/${answerId}/rating`,
    body: { value: 'bad' },
  }),
  'GET /api/runs/:id/events': ({ runId }) => ({ path: `/api/runs/${runId}/events` }),
  'GET /api/runs/:id/response-schema': ({ runId }) => ({ path: `/api/runs/${runId}/response-schema` }),
  'GET /api/imports/:id': ({ importId }) => ({ path: `/api/imports/${importId}` }),
  ...Object.fromEntries(
    ['start', 'cancel', 'undo'].map((action) => [
      `POST /api/imports/:id/${action}`,
      ({ importId }: Owned) => ({ path: `/api/imports/${importId}/${action}` }),
    ]),
  ),
  'GET /api/files/:id/content': ({ fileId }) => ({ path: `/api/files/${fileId}/content` }),
  'POST /api/files/:id/retry': ({ fileId }) => ({ path: `/api/files/${fileId}/retry`, body: {} }),
  'DELETE /api/files/:id': ({ fileId }) => ({ path: `/api/files/${fileId}` }),
  'GET /api/fine-tuning/jobs/:id': ({ trainingId }) => ({ path: `/api/fine-tuning/jobs/${trainingId}` }),
  ...Object.fromEntries(
    ['events', 'metrics', 'checkpoints', 'result'].map((part) => [
      `GET /api/fine-tuning/jobs/:id/${part}`,
      ({ trainingId }: Owned) => ({ path: `/api/fine-tuning/jobs/${trainingId}/${part}` }),
    ]),
  ),
  ...Object.fromEntries(
    ['cancel', 'pause', 'resume'].map((action) => [
      `POST /api/fine-tuning/jobs/:id/${action}`,
      ({ trainingId }: Owned) => ({ path: `/api/fine-tuning/jobs/${trainingId}/${action}`, body: {} }),
    ]),
  ),
  'POST /api/fine-tuning/jobs/:id/checkpoints/:checkpointId/activate': ({ trainingId, checkpointId }) => ({
    path: `/api/fine-tuning/jobs/${trainingId}/checkpoints/${checkpointId}/activate`,
    body: {},
  }),
  'PATCH /api/fine-tuning/models/custom/:id': ({ customModelId }) => ({
    path: `/api/fine-tuning/models/custom/${customModelId}`,
    body: { isActive: false },
  }),
  'DELETE /api/fine-tuning/models/custom/:id': ({ customModelId }) => ({
    path: `/api/fine-tuning/models/custom/${customModelId}`,
  }),
  'GET /api/fine-tuning/datasets/:id': ({ datasetId }) => ({ path: `/api/fine-tuning/datasets/${datasetId}` }),
  'GET /api/fine-tuning/datasets/:id/examples': ({ datasetId }) => ({
    path: `/api/fine-tuning/datasets/${datasetId}/examples`,
  }),
  'GET /api/fine-tuning/datasets/:id/instructions': ({ datasetId }) => ({
    path: `/api/fine-tuning/datasets/${datasetId}/instructions`,
  }),
  'GET /api/fine-tuning/datasets/:id/division': ({ datasetId }) => ({
    path: `/api/fine-tuning/datasets/${datasetId}/division?validationShare=0.2`,
  }),
  'PATCH /api/fine-tuning/datasets/:id': ({ datasetId }) => ({
    path: `/api/fine-tuning/datasets/${datasetId}`,
    body: { name: 'Taken' },
  }),
  'PATCH /api/fine-tuning/datasets/:id/examples/:exampleId': ({ datasetId, exampleId }) => ({
    path: `/api/fine-tuning/datasets/${datasetId}/examples/${exampleId}`,
    body: { answer: 'Taken' },
  }),
  'POST /api/fine-tuning/datasets/:id/gather': ({ datasetId }) => ({
    path: `/api/fine-tuning/datasets/${datasetId}/gather`,
    body: {},
  }),
  'POST /api/fine-tuning/datasets/:id/save': ({ datasetId }) => ({
    path: `/api/fine-tuning/datasets/${datasetId}/save`,
    body: { filename: 'taken' },
  }),
  'DELETE /api/fine-tuning/datasets/:id': ({ datasetId }) => ({ path: `/api/fine-tuning/datasets/${datasetId}` }),
  'DELETE /api/analytics/budgets/:id': ({ budgetId }) => ({ path: `/api/analytics/budgets/${budgetId}` }),
  'DELETE /api/analytics/project-budgets/:id': ({ projectBudgetId }) => ({
    path: `/api/analytics/project-budgets/${projectBudgetId}`,
  }),
  'GET /api/comparisons/:id': ({ comparisonId }) => ({ path: `${comparisonsPath}/${comparisonId}` }),
  'GET /api/assistants/:id/latest-questions': ({ assistantId }) => ({
    path: `/api/assistants/${assistantId}/latest-questions`,
  }),
  'POST /api/assistants/:id/comparisons': ({ assistantId }) => ({
    path: `/api/assistants/${assistantId}/comparisons`,
    body: { changes: { instructions: 'Mine now' }, questions: ['Why?'] },
  }),
  'GET /api/comparisons/:id/draft': ({ comparisonId }) => ({ path: `${comparisonsPath}/${comparisonId}/draft` }),
  'POST /api/comparisons/:id/draft/save': ({ comparisonId }) => ({
    path: `${comparisonsPath}/${comparisonId}/draft/save`,
  }),
  'GET /api/comparisons/:id/estimate': ({ comparisonId }) => ({ path: `${comparisonsPath}/${comparisonId}/estimate` }),
  'POST /api/comparisons/:id/start': ({ comparisonId }) => ({
    path: `${comparisonsPath}/${comparisonId}/start`,
    body: {},
  }),
  'POST /api/comparisons/:id/stop': ({ comparisonId }) => ({ path: `${comparisonsPath}/${comparisonId}/stop` }),
  'POST /api/comparisons/:id/prompts/:promptId/ask': ({ comparisonId, promptId }) => ({
    path: `${comparisonsPath}/${comparisonId}/prompts/${promptId}/ask`,
    body: {},
  }),
  'POST /api/comparisons/:id/prompts/:promptId/vote': ({ comparisonId, promptId }) => ({
    path: `${comparisonsPath}/${comparisonId}/prompts/${promptId}/vote`,
    body: { vote: 'tie' },
  }),
  'DELETE /api/comparisons/:id': ({ comparisonId }) => ({ path: `${comparisonsPath}/${comparisonId}` }),
  'GET /api/comparisons/:id/judgings': ({ comparisonId }) => ({ path: judgingsPath(comparisonId) }),
  'GET /api/comparisons/:id/judgings/:judgingId': ({ comparisonId, judgingId }) => ({
    path: `${judgingsPath(comparisonId)}/${judgingId}`,
  }),
  ...Object.fromEntries(
    ['', '/estimate'].map((part) => [
      `POST /api/comparisons/:id/judgings${part}`,
      ({ comparisonId }: Owned) => ({
        path: `${judgingsPath(comparisonId)}${part}`,
        body: { model: 'gpt-4o', criteria: 'Mine' },
      }),
    ]),
  ),
  ...Object.fromEntries(
    ['start', 'stop'].map((action) => [
      `POST /api/comparisons/:id/judgings/:judgingId/${action}`,
      ({ comparisonId, judgingId }: Owned) => ({
        path: `${judgingsPath(comparisonId)}/${judgingId}/${action}`,
        body: {},
      }),
    ]),
  ),
  'DELETE /api/comparisons/:id/judgings/:judgingId': ({ comparisonId, judgingId }) => ({
    path: `${judgingsPath(comparisonId)}/${judgingId}`,
  }),
  'GET /api/projects/:id': ({ projectId }) => ({ path: `/api/projects/${projectId}` }),
  'PATCH /api/projects/:id': ({ projectId }) => ({ path: `/api/projects/${projectId}`, body: { name: 'Mine' } }),
  'GET /api/projects/:id/threads': ({ projectId }) => ({ path: `/api/projects/${projectId}/threads` }),
  'DELETE /api/projects/:id': ({ projectId }) => ({ path: `/api/projects/${projectId}` }),
  'GET /api/projects/:id/files': ({ projectId }) => ({ path: `/api/projects/${projectId}/files` }),
  'POST /api/projects/:id/files': ({ projectId, ownFileId }) => ({
    path: `/api/projects/${projectId}/files`,
    body: { fileIds: [ownFileId] },
  }),
  'DELETE /api/projects/:id/files/:fileId': ({ projectId, fileId }) => ({
    path: `/api/projects/${projectId}/files/${fileId}`,
  }),
  'POST /api/projects/:id/files/:fileId/retry': ({ projectId, fileId }) => ({
    path: `/api/projects/${projectId}/files/${fileId}/retry`,
  }),
  'PATCH /api/connections/:id': ({ connectionId }) => ({
    path: `/api/connections/${connectionId}`,
    body: { name: 'Mine' },
  }),
  'POST /api/connections/:id/check': ({ connectionId }) => ({
    path: `/api/connections/${connectionId}/check`,
    body: {},
  }),
  'GET /api/connections/:id/uses': ({ connectionId }) => ({ path: `/api/connections/${connectionId}/uses` }),
  'GET /api/connections/:id/refusals': ({ connectionId }) => ({ path: `/api/connections/${connectionId}/refusals` }),
  'POST /api/connections/:id/ask-again': ({ connectionId }) => ({
    path: `/api/connections/${connectionId}/ask-again`,
  }),
  'DELETE /api/connections/:id': ({ connectionId }) => ({ path: `/api/connections/${connectionId}` }),
  // A person's own connection is none that administrators offer.
  'PATCH /api/admin/connections/:id': ({ connectionId }) => ({
    path: `/api/admin/connections/${connectionId}`,
    body: { name: 'Mine' },
  }),
  'POST /api/admin/connections/:id/check': ({ connectionId }) => ({
    path: `/api/admin/connections/${connectionId}/check`,
    body: {},
  }),
  'GET /api/admin/connections/:id/uses': ({ connectionId }) => ({
    path: `/api/admin/connections/${connectionId}/uses`,
  }),
  'GET /api/admin/connections/:id/spending': ({ connectionId }) => ({
    path: `/api/admin/connections/${connectionId}/spending`,
  }),
  'GET /api/admin/connections/:id/refusals': ({ connectionId }) => ({
    path: `/api/admin/connections/${connectionId}/refusals`,
  }),
  'POST /api/admin/connections/:id/ask-again': ({ connectionId }) => ({
    path: `/api/admin/connections/${connectionId}/ask-again`,
  }),
  'DELETE /api/admin/connections/:id': ({ connectionId }) => ({ path: `/api/admin/connections/${connectionId}` }),
  'GET /api/prompts/:id': ({ savedPromptId }) => ({ path: `/api/prompts/${savedPromptId}` }),
  'PATCH /api/prompts/:id': ({ savedPromptId }) => ({ path: `/api/prompts/${savedPromptId}`, body: { title: 'Mine' } }),
  'POST /api/prompts/:id/used': ({ savedPromptId }) => ({ path: `/api/prompts/${savedPromptId}/used`, body: {} }),
  'DELETE /api/prompts/:id': ({ savedPromptId }) => ({ path: `/api/prompts/${savedPromptId}` }),
  'GET /api/assistants/:id/test-sets': ({ assistantId }) => ({ path: setsPath(assistantId) }),
  'POST /api/assistants/:id/test-sets': ({ assistantId }) => ({
    path: setsPath(assistantId),
    body: { name: 'Mine', questions: typed('Why?') },
  }),
  'GET /api/test-sets/:id': ({ testSetId }) => ({ path: setPath(testSetId) }),
  'PATCH /api/test-sets/:id': ({ testSetId }) => ({ path: setPath(testSetId), body: { name: 'Mine' } }),
  'DELETE /api/test-sets/:id': ({ testSetId }) => ({ path: setPath(testSetId) }),
  'GET /api/test-sets/:id/runs': ({ testSetId }) => ({ path: `${setPath(testSetId)}/runs` }),
  'POST /api/test-sets/:id/runs': ({ testSetId }) => ({ path: `${setPath(testSetId)}/runs`, body: versionOne }),
  'POST /api/test-sets/:id/runs/estimate': ({ testSetId }) => ({
    path: `${setPath(testSetId)}/runs/estimate`,
    body: versionOne,
  }),
  'GET /api/test-runs/:id': ({ testRunId }) => ({ path: `/api/test-runs/${testRunId}` }),
  'PATCH /api/tool-servers/:id': ({ toolServerId }) => ({
    path: `/api/tool-servers/${toolServerId}`,
    body: { name: 'Taken' },
  }),
  'DELETE /api/tool-servers/:id': ({ toolServerId }) => ({ path: `/api/tool-servers/${toolServerId}` }),
  'GET /api/tool-servers/:id/tools': ({ toolServerId }) => ({ path: `/api/tool-servers/${toolServerId}/tools` }),
  'POST /api/tool-servers/:id/refresh': ({ toolServerId }) => ({
    path: `/api/tool-servers/${toolServerId}/refresh`,
    body: {},
  }),
  'POST /api/tool-servers/:id/sign-in': ({ toolServerId }) => ({
    path: `/api/tool-servers/${toolServerId}/sign-in`,
    body: {},
  }),
  'DELETE /api/tool-servers/:id/sign-in': ({ toolServerId }) => ({ path: `/api/tool-servers/${toolServerId}/sign-in` }),
  'GET /api/tool-servers/:id/openapi': ({ toolServerId }) => ({ path: `/api/tool-servers/${toolServerId}/openapi` }),
  'PATCH /api/tool-servers/:id/openapi': ({ toolServerId }) => ({
    path: `/api/tool-servers/${toolServerId}/openapi`,
    body: { name: 'Taken' },
  }),
  'GET /api/tool-servers/:id/operations': ({ toolServerId }) => ({
    path: `/api/tool-servers/${toolServerId}/operations`,
  }),
  'POST /api/tool-servers/:id/operations': ({ toolServerId }) => ({
    path: `/api/tool-servers/${toolServerId}/operations`,
    body: { operations: null },
  }),
  'GET /api/assistants/:id/tools': ({ assistantId }) => ({ path: `/api/assistants/${assistantId}/tools` }),
  'POST /api/assistants/:id/tools': ({ assistantId }) => ({
    path: `/api/assistants/${assistantId}/tools`,
    body: { tools: [] },
  }),
  'DELETE /api/access-tokens/:id': ({ tokenId }) => ({ path: `/api/access-tokens/${tokenId}` }),
  'POST /api/runs/:id/approvals/:callId': ({ runId }) => ({
    path: `/api/runs/${runId}/approvals/call_1`,
    body: { decision: 'approve' },
  }),
  'POST /api/runs/:id/stop': ({ runId }) => ({ path: `/api/runs/${runId}/stop`, body: {} }),
};

/** Every call that refers to something in its body: another user’s data is not found there either. */
const referringToTheirs: Record<string, (owned: Owned) => Attempt[]> = {
  'POST /api/settings/default-assistant': ({ assistantId }) => [
    { path: '/api/settings/default-assistant', body: { assistantId } },
  ],
  'POST /api/assistants': ({ fileId, toolServerId }) => {
    const chosenTools = [{ serverId: toolServerId, name: 'read', digest: 'a'.repeat(64), approval: 'never' }];
    const body = { name: 'Mine', model: 'gpt-4o' };
    return [
      { path: '/api/assistants', body: { ...body, fileIds: [fileId] } },
      { path: '/api/assistants', body: { ...body, chosenTools } },
    ];
  },
  'POST /api/assistants/trials': ({ assistantId }) => [
    { path: '/api/assistants/trials', body: { assistantId, settings: { model: 'gpt-4o' } } },
  ],
  'POST /api/assistants/:id/replays': ({ ownAssistantId, answerId }) => [
    {
      path: `/api/assistants/${ownAssistantId}/replays`,
      body: { fromModel: 'gpt-4.1', toModel: 'gpt-4o', answerIds: [answerId] },
    },
  ],
  'POST /api/assistants/move': ({ assistantId }) => [
    {
      path: '/api/assistants/move',
      body: { fromModel: 'gpt-4o', toModel: 'gpt-4.1', assistantIds: [assistantId] },
    },
  ],
  'POST /api/projects': ({ assistantId }) => [{ path: '/api/projects', body: { name: 'Mine', assistantId } }],
  'PATCH /api/projects/:id': ({ ownProjectId, assistantId }) => [
    { path: `/api/projects/${ownProjectId}`, body: { assistantId } },
  ],
  'POST /api/projects/:id/files': ({ ownProjectId, fileId }) => [
    { path: `/api/projects/${ownProjectId}/files`, body: { fileIds: [fileId] } },
  ],
  'POST /api/projects/move': ({ ownThreadId, projectId }) => [
    { path: '/api/projects/move', body: { ids: [ownThreadId], projectId } },
  ],
  'POST /api/threads/:id/queue': ({ ownThreadId, fileId }) => [
    { path: `/api/threads/${ownThreadId}/queue`, body: { ...draft(), fileIds: [fileId] } },
  ],
  'PATCH /api/queued-messages/:id': ({ ownQueuedId, fileId }) => [
    { path: `/api/queued-messages/${ownQueuedId}`, body: { fileIds: [fileId] } },
  ],
  'POST /api/analytics/budgets': ({ assistantId }) => [
    { path: '/api/analytics/budgets', body: { assistantId, amountUsd: 1 } },
  ],
  'POST /api/analytics/project-budgets': ({ projectId }) => [
    { path: '/api/analytics/project-budgets', body: { projectId, amountUsd: 1 } },
  ],
  'POST /api/comparisons': ({ fileId }) => [
    { path: comparisonsPath, body: { candidateModel: 'a', baselineModel: 'b', prompts: { fileId } } },
  ],
  'POST /api/assistants/:id/test-sets': ({ ownAssistantId, answerId, exampleId }) =>
    [
      { kind: 'conversation', answerId },
      { kind: 'dataset', exampleId },
    ].map((question) => ({ path: setsPath(ownAssistantId), body: { name: 'Taken', questions: [question] } })),
  'POST /api/test-sets/:id/runs': ({ ownTestSetId, testRunId }) => [
    {
      path: `${setPath(ownTestSetId)}/runs`,
      body: { ...versionOne, baseline: { kind: 'run', runId: testRunId } },
    },
  ],
  'POST /api/assistants/:id/files': ({ ownAssistantId, fileId }) => [
    { path: `/api/assistants/${ownAssistantId}/files`, body: { fileIds: [fileId] } },
  ],
  'POST /api/assistants/:id/tools': ({ ownAssistantId, toolServerId }) => [
    {
      path: `/api/assistants/${ownAssistantId}/tools`,
      body: { tools: [{ serverId: toolServerId, name: 'read', digest: 'a'.repeat(64), approval: 'never' }] },
    },
  ],
  'POST /api/fine-tuning/jobs': ({ fileId, ownTrainingFileId }) => {
    const job = { name: 'Taken', baseModel: trainable };
    return [
      { path: '/api/fine-tuning/jobs', body: { ...job, trainingFileId: fileId } },
      {
        path: '/api/fine-tuning/jobs',
        body: { ...job, trainingFileId: ownTrainingFileId, validationFileId: fileId },
      },
    ];
  },
  'POST /api/fine-tuning/datasets': ({ assistantId }) => [
    { path: '/api/fine-tuning/datasets', body: { name: 'Taken', assistantId } },
  ],
  'POST /api/fine-tuning/datasets/:id/gather': ({ ownDatasetId, assistantId }) => [
    { path: `/api/fine-tuning/datasets/${ownDatasetId}/gather`, body: { assistantId } },
  ],
  'POST /api/threads': ({ assistantId, projectId }) => [
    { path: '/api/threads', body: { assistantId } },
    { path: '/api/threads', body: { projectId } },
  ],
  'PATCH /api/threads/:id': ({ ownThreadId, assistantId, answerId }) => [
    { path: `/api/threads/${ownThreadId}`, body: { assistantId } },
    { path: `/api/threads/${ownThreadId}`, body: { shownMessageId: answerId } },
  ],
  'POST /api/threads/:id/messages': ({ ownThreadId, questionId, answerId, fileId }) => [
    { path: `/api/threads/${ownThreadId}/messages`, body: { ...draft(), parentId: answerId } },
    { path: `/api/threads/${ownThreadId}/messages`, body: { ...draft(), parentId: questionId } },
    { path: `/api/threads/${ownThreadId}/messages`, body: { ...draft(), fileIds: [fileId] } },
  ],
  'POST /api/fine-tuning/validate': ({ fileId, ownFileId }) => [
    { path: '/api/fine-tuning/validate', body: { trainingFileId: fileId } },
    { path: '/api/fine-tuning/validate', body: { trainingFileId: ownFileId, validationFileId: fileId } },
  ],
  'POST /api/fine-tuning/convert': ({ fileId }) => [{ path: '/api/fine-tuning/convert', body: { fileId } }],
  'POST /api/fine-tuning/split': ({ fileId }) => [{ path: '/api/fine-tuning/split', body: { fileId } }],
};

/** Body fields that refer to nobody’s data: made by the client, the provider’s, or the owner of a mailed token. */
/** Others’ connections are tried with every call that names a model, in foreign-connections.test.ts. */
const notReferences = new Set(['clientId', 'assistantIds', 'userId', 'connectionId']);

/** Every call whose path names the caller’s own data or an account, never data in one. */
const onAccounts: Record<string, (owned: Owned) => Attempt> = {
  'DELETE /api/user/oauth-profiles/:provider': () => ({ path: '/api/user/oauth-profiles/google' }),
  'PATCH /api/admin/users/:id': ({ userId }) => ({ path: `/api/admin/users/${userId}`, body: { name: 'Robert' } }),
  'POST /api/admin/users/:id/reset-password': ({ userId }) => ({
    path: `/api/admin/users/${userId}/reset-password`,
    body: {},
  }),
  // An unknown account, because the other user is still needed and signed in.
  'POST /api/admin/users/:id/sign-out': () => ({ path: `/api/admin/users/${unknownId}/sign-out`, body: {} }),
  'POST /api/admin/users/:id/reset-second-factor': () => ({
    path: `/api/admin/users/${unknownId}/reset-second-factor`,
    body: {},
  }),
  'POST /api/admin/invitations/:id/resend': () => ({ path: `/api/admin/invitations/${unknownId}/resend`, body: {} }),
  'DELETE /api/admin/invitations/:id': () => ({ path: `/api/admin/invitations/${unknownId}` }),
  'POST /api/admin/jobs/:id/retry': () => ({ path: `/api/admin/jobs/${unknownId}/retry`, body: {} }),
  'DELETE /api/admin/users/:id': () => ({ path: `/api/admin/users/${unknownId}` }),
};

/** Bodies that calls without an id need to take effect; the others are made without one. */
const bodies: Record<string, unknown> = {
  'POST /api/admin/users': { name: 'Nobody', email: 'nobody@example.com', role: 'Viewer' },
  'POST /api/assistants': { name: 'Own', model: 'gpt-4o' },
  'POST /api/settings/admin-key': { adminKey: 'sk-admin-of-the-administrator' },
  'POST /api/threads': {},
};

const named = ({ method, path }: Endpoint) => `${method} ${path}`;

describe.each(engines)('access of an administrator on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let bob: HttpClient;
  let owned: Owned;
  beforeAll(async () => {
    app = await startApp(engine, quick);
    ada = await app.withKey('ada');
    bob = await app.as('bob');
    expect((await bob.post('/api/settings/apikey', { apiKey: planted.key })).status).toBe(200);
    expect((await bob.post('/api/settings/admin-key', { adminKey: planted.adminKey })).status).toBe(200);
    const assistantId = await createAssistant(bob, { name: planted.assistant, instructions: planted.instructions });
    const threadId = await newThread(bob, { title: planted.title, assistantId });
    const { message, run } = await ask(app, bob, threadId, planted.message);
    const comparison = await newComparison(bob, [planted.prompt]);
    await compared(app, bob, comparison.id, comparison.items[0]?.id ?? 0);
    const { id: judgingId } = await judged(bob, comparison.id, { criteria: planted.criteria });
    const testSet = await newSet(bob, assistantId, typed(planted.prompt));
    const { id: testRunId } = await runTestSet(bob, testSet.id);
    const training = await createTrainedJob(app, bob, { name: planted.training });
    const { body: checkpoints } = await bob.get(`/api/fine-tuning/jobs/${training.id}/checkpoints`);
    await rated(bob, run.messageId, { correction: planted.correction });
    const { id: datasetId } = await gathered(bob, { name: planted.dataset });
    await ratedThread(app, ada, [{ value: 'good' }]);
    const { id: bobsId } = (await bob.get('/api/user')).body;
    await ada.post(`/api/admin/users/${bobsId}/reset-password`);
    const toolServer = await newServer(bob, planted.toolUrl, {
      name: planted.toolServer,
      auth: { type: 'header', name: 'Authorization', value: planted.toolHeader },
    });
    const { body: move } = await bob.post('/api/assistants/move', { fromModel: 'gpt-4o', toModel: 'gpt-4.1' });
    const ownAssistantId = await createAssistant(ada);
    const trashedId = await newThread(bob, { title: planted.title });
    await bob.delete(`/api/threads/${trashedId}`);
    const queuedId = await heldMessage(app, bob, threadId, planted.queued);
    const { id: projectId } = (await bob.post('/api/projects', { name: planted.savedPrompt })).body;
    owned = {
      moveId: move.id,
      toolServerId: toolServer.body.id,
      importId: (await uploadExport(app, bob, planted.content, planted.import)).body.id,
      tokenId: (await newToken(bob, { name: planted.token })).id,
      noticeId: (await bob.get('/api/user/notices')).body[0].id,
      userId: (await bob.get('/api/user')).body.id,
      sessionId: (await bob.get('/api/user/sessions')).body[0].id,
      passkeyId: (await addPasskey(bob, createAuthenticator({ origin: app.url }), planted.passkey)).id,
      assistantId,
      threadId,
      temporaryId: await newThread(bob, { title: planted.title, temporary: true }),
      trialId: await newTrial(bob, { instructions: planted.instructions }),
      trashedId,
      queuedId,
      ownQueuedId: await heldMessage(app, ada, await newThread(ada), 'My own'),
      questionId: message.id,
      answerId: run.messageId,
      runId: run.id,
      budgetId: (await bob.post('/api/analytics/budgets', { assistantId, amountUsd: 5 })).body.id,
      fileId: (await uploaded(app, bob, { filename: planted.filename, content: planted.content })).id,
      comparisonId: comparison.id,
      promptId: comparison.items[0]?.id ?? 0,
      connectionId: (await newConnection(app, bob, planted.savedPrompt)).id,
      savedPromptId: (await newPrompt(bob, { name: planted.savedPrompt, text: planted.savedPrompt })).id,
      projectId,
      projectBudgetId: (await bob.post('/api/analytics/project-budgets', { projectId, amountUsd: 5 })).body.id,
      judgingId,
      testSetId: testSet.id,
      testRunId,
      trainingId: training.id,
      checkpointId: checkpoints[1].id,
      customModelId: (await bob.get('/api/fine-tuning/models/custom')).body[0].id,
      ownTrainingFileId: (await trainingFile(app, ada)).id,
      ownThreadId: await newThread(ada),
      ownFileId: (await uploaded(app, ada)).id,
      ownAssistantId,
      ownProjectId: (await ada.post('/api/projects', { name: 'Own' })).body.id,
      ownTestSetId: (await newSet(ada, ownAssistantId, typed('Own'))).id,
      datasetId,
      exampleId: (await examplesOf(bob, datasetId))[0]?.id ?? 0,
      ownDatasetId: (await gathered(ada)).id,
    };
    await bob.post(`/api/assistants/${assistantId}/files`, { fileIds: [owned.fileId] });
  });
  afterAll(() => app.stop());

  function call({ method }: Endpoint, { path, body }: Attempt) {
    if (method === 'GET') return ada.get(path);
    if (method === 'DELETE') return ada.delete(path, body);
    if (method === 'PUT') return ada.put(path, body);
    return method === 'PATCH' ? ada.patch(path, body) : ada.post(path, body);
  }
  async function stillSignedIn() {
    if ((await ada.get('/api/user')).status === 200) return;
    const { status } = await ada.post('/api/login', { email: 'ada@example.com', password });
    expect(status).toBe(200);
  }
  const expectNothingRevealed = (what: string, answer: { body: unknown; headers: unknown }) => {
    const shown = JSON.stringify([answer.body, answer.headers]);
    expect(
      markers.filter((marker) => shown.includes(marker)),
      what,
    ).toEqual([]);
  };
  const endpointOf = (name: string) => app.endpoints.find((endpoint) => named(endpoint) === name);
  const takesAddress = ({ path }: Endpoint) => path.includes(':');

  test('covers every call that takes an id in the lists of this test', () => {
    const inAddress = app.endpoints.filter(takesAddress).map(named);
    expect(inAddress.filter((name) => !Object.hasOwn(onTheirs, name) && !Object.hasOwn(onAccounts, name))).toEqual([]);
    const inBody = app.endpoints.filter(({ body }) => {
      const { properties = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
      return Object.keys(properties).some((name) => /Ids?$/.test(name) && !notReferences.has(name));
    });
    expect(inBody.map(named).filter((name) => !Object.hasOwn(referringToTheirs, name))).toEqual([]);
    const listed = [...Object.keys(onTheirs), ...Object.keys(referringToTheirs)];
    expect(listed.filter((name) => endpointOf(name) === undefined)).toEqual([]);
  });

  test('finds nothing of another user, as if it did not exist', async () => {
    const nothing: Owned = {
      ...owned,
      sessionId: 'A'.repeat(22),
      passkeyId: unknownId,
      assistantId: unknownId,
      moveId: unknownId,
      threadId: unknownId,
      projectId: unknownId,
      temporaryId: unknownId,
      trialId: unknownId,
      trashedId: unknownId,
      queuedId: unknownId,
      questionId: unknownId,
      answerId: unknownId,
      runId: unknownId,
      budgetId: unknownId,
      projectBudgetId: unknownId,
      fileId: unknownId,
      comparisonId: unknownId,
      promptId: unknownId,
      judgingId: unknownId,
      testSetId: unknownId,
      testRunId: unknownId,
      trainingId: unknownId,
      checkpointId: unknownId,
      customModelId: unknownId,
      datasetId: unknownId,
      exampleId: unknownId,
      noticeId: unknownId,
      tokenId: unknownId,
      toolServerId: unknownId,
      importId: unknownId,
    };
    const attempts = (of: Owned) => [
      ...Object.entries(onTheirs).map(([name, attempt]) => [name, attempt(of)] as const),
      ...Object.entries(referringToTheirs).flatMap(([name, all]) => all(of).map((attempt) => [name, attempt] as const)),
    ];
    const unknown = attempts(nothing);
    for (const [index, [name, attempt]] of attempts(owned).entries()) {
      const endpoint = endpointOf(name);
      const other = unknown[index];
      if (!endpoint || !other) throw new Error(`${name} is not answered`);
      const foreign = await call(endpoint, attempt);
      expect([foreign.status, foreign.body.code], name).toEqual([404, 'not_found']);
      const absent = await call(endpoint, other[1]);
      expect({ ...foreign.body, requestId: '' }, name).toEqual({ ...absent.body, requestId: '' });
      expectNothingRevealed(name, foreign);
    }
  });

  test('returns nothing of another user’s data from any call', async () => {
    for (const endpoint of app.endpoints) {
      const name = named(endpoint);
      if (Object.hasOwn(onTheirs, name)) continue;
      await stillSignedIn();
      const attempt = onAccounts[name]?.(owned) ?? { path: endpoint.path, body: bodies[name] ?? {} };
      const answer = await call(endpoint, endpoint.method === 'GET' ? { path: attempt.path } : attempt);
      expect(answer.status, name).toBeLessThan(500);
      expectNothingRevealed(name, answer);
      const searched = endpoint.query.safeParse({ q: 'x' }).success;
      if (searched) {
        const { body, status } = await ada.get(`${endpoint.path}?q=planted`);
        expect([status, body.items ?? body], name).toEqual([200, []]);
      }
    }
  });

  test('leaves another user’s data unchanged by all that', async () => {
    expect((await bob.get('/api/user')).status).toBe(200);
    expect((await bob.get('/api/user/config')).body).toMatchObject({ hasApiKey: true, apiKeyLast4: planted.last4 });
    const { body: assistants } = await bob.get('/api/assistants');
    expect(assistants).toMatchObject([{ name: planted.assistant, instructions: planted.instructions }]);
    expect((await bob.get('/api/threads')).body.items).toMatchObject([{ title: planted.title }]);
    expect((await bob.get('/api/trash')).body.items).toMatchObject([{ id: owned.trashedId, title: planted.title }]);
    expect((await bob.get(`/api/threads/${owned.temporaryId}`)).body).toMatchObject({ temporary: true });
    expect(await queueOf(bob, owned.threadId)).toMatchObject([{ id: owned.queuedId, text: planted.queued }]);
    const messages = await messagesOf(bob, owned.threadId);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(messages[0]?.text).toBe(planted.message);
    const { body: files } = await bob.get('/api/files');
    expect(files).toMatchObject([{ filename: planted.filename }, { filename: 'train.jsonl' }]);
    expect((await bob.get('/api/fine-tuning/jobs')).body).toMatchObject([
      { name: planted.training, status: 'succeeded' },
    ]);
    expect((await bob.get('/api/fine-tuning/models/custom')).body).toMatchObject([
      { name: planted.training, isActive: true },
    ]);
    expect(messages[1]?.rating).toEqual({ value: null, correction: planted.correction });
    expect((await bob.get('/api/fine-tuning/datasets')).body.items).toMatchObject([
      { name: planted.dataset, examples: 1, unreviewed: 1 },
    ]);
    expect((await bob.get('/api/tool-servers')).body).toMatchObject([
      { name: planted.toolServer, url: planted.toolUrl },
    ]);
    expect(await examplesOf(bob, owned.datasetId)).toMatchObject([{ answer: planted.correction, edited: false }]);
  });
});
