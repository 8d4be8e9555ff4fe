import { type InstallationRetiringModel, modelRetirement } from '@roster/contracts/models/retirement';
import { type SystemReport, system } from '@roster/contracts/system';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectText, expectToast } from '#web/testing/page.ts';

const admin = { ...person, role: 'Admin' as const };
const of = <Answer,>(given: Answer) => ({ answer: given, problem: null });

const report: SystemReport = {
  version: '1.2.3',
  runtime: 'v24.0.0',
  at: fixtureDate,
  processes: of([
    { id: 7, startedAt: fixtureDate, version: '1.2.3' },
    { id: 6, startedAt: fixtureDate, version: '1.2.2' },
  ]),
  database: of({ engine: 'postgres', version: '17.2', bytes: 5 * 2 ** 30, latencyMs: 1.2, schema: 'ok' }),
  storage: { answer: null, problem: 'There is no answer within 2 s.' },
  files: of({ count: 3, bytes: 2 ** 20 }),
  disk: of({ freeBytes: 2 ** 30, minimumBytes: 2 ** 20 }),
  jobs: of({
    waiting: 4,
    due: 2,
    oldestDueAt: fixtureDate,
    givenUp: 1,
    newestGivenUp: [
      { id: 9, kind: 'mail', createdAt: fixtureDate, givenUpAt: fixtureDate, attempts: 30, failure: 'EENVELOPE' },
    ],
  }),
  mail: of({ delivers: true, lastSentAt: null, lastFailure: null }),
  backups: of({ last: null, failedAt: null, beforeUpgrades: { count: 0, bytes: 0, newestAt: null } }),
  warnings: [{ level: 'problem', text: 'The disk is nearly full.' }],
};
const ending: InstallationRetiringModel = {
  ...{ model: 'gpt-4o', isTuned: false, shutdownDate: '2027-01-14', source: 'provider', asOf: '2026-11-02' },
  ...{ lifecycle: 'ending', successor: 'gpt-6.1-terra', assistants: 1_200, people: 31, calls: 4_500 },
};
const card = (name: string) => page.getByRole('region', { name, exact: true });

test('shows an administrator every part, including a failed one, and retries a job', async () => {
  open('/system', {
    user: admin,
    answers() {
      answer(system.report, report);
      answer(modelRetirement.ofAll, {
        items: [ending, { ...ending, isTuned: true, lifecycle: 'gone', successor: null }],
      });
    },
  });
  await expectText(page.getByRole('list', { name: 'Needs attention' }), 'The disk is nearly full.');
  await expectText(card('Server'), /1\.2\.3.*Process 6.*version 1\.2\.2/);
  await expectText(card('Database'), /PostgreSQL 17\.2.*5 GB.*1\.2 ms/);
  await expectText(card('Files'), /There is no answer within 2 s\..*3 files, 1\.00 MB/);
  await expectText(card('Backups'), /Never/);
  const rows = page.getByRole('table', { name: 'Retiring models' }).getByRole('row');
  await expectText(rows.nth(1), /gpt-4o.*Retires on January 14, 2027.*gpt-6\.1-terra.*1,200.*31.*4,500/);
  await expectText(rows.nth(2), /Fine-tuned from gpt-4o.*Retired on January 14, 2027/);
  answer(system.retryJob, undefined);
  const jobs = { ...report.jobs.answer, waiting: 5, due: 3, oldestDueAt: null, givenUp: 0, newestGivenUp: [] };
  answer(system.report, { ...report, jobs: of(jobs) });
  await page.getByRole('button', { name: 'Retry job 9' }).click();
  await expectToast('Job queued');
  await expect.element(page.getByRole('button', { name: 'Retry job 9' })).not.toBeInTheDocument();
  await expectText(card('Background Jobs'), /Waiting.*5/);
});

test('says that all is well, unless a part does not respond', async () => {
  const well = { ...report, storage: of({ kind: 'folder' as const, latencyMs: 1, freeBytes: null }), warnings: [] };
  const said = page.getByText('Everything is working.');
  open('/system', {
    user: admin,
    answers() {
      answer(system.report, well);
      answer(modelRetirement.ofAll, { items: [] });
    },
  });
  await expect.element(said).toBeVisible();
  answer(system.report, { ...well, storage: report.storage });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expectText(card('Files'), /There is no answer within 2 s\./);
  await expect.element(said).not.toBeInTheDocument();
});

test('shows that loading failed, and reloads with Refresh', async () => {
  open('/system', {
    user: admin,
    answers() {
      answer(system.report, refusal('unavailable', 'Roster is restarting.'));
      answer(modelRetirement.ofAll, refusal('unavailable', 'Roster is restarting.'));
    },
  });
  await expectText(page.getByRole('alert'), /Roster is restarting\./);
  await expectText(card('Retiring models'), /Failed to load models.*Roster is restarting\./);
  answer(system.report, report);
  answer(modelRetirement.ofAll, { items: [] });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expectText(card('Email'), /Through the mail server/);
  await expectText(card('Retiring models'), /No model in use retires soon\./);
});

test('hides the page from everyone else', async () => {
  open('/system', { user: { ...person, role: 'Editor' } });
  await expect.poll(address).toBe('/');
});
