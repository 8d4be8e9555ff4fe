import type { SystemReport } from '@roster/contracts/system';
import { formatCount, formatMegabytes, formatNumber } from '#web/lib/text/format.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { type Fact, Facts } from './facts.tsx';

const gigabyte = 1_073_741_824;

/** '12.3 GB', '1.25 MB' */
const size = (bytes: number): string =>
  bytes < gigabyte ? formatMegabytes(bytes) : `${formatNumber(Math.round((bytes / gigabyte) * 10) / 10)} GB`;
const milliseconds = (ms: number): string => `${formatNumber(ms)} ms`;
const time = (at: string | null | undefined) => (at ? <RelativeTime date={at} /> : 'Never');

const schemas = { ok: 'Up to date', newer: 'Newer than this version', older: 'Older than this version' };

type Parts = { report: SystemReport | undefined };

/** Parts of the installation, one card each; one that does not respond says so. */
export function SystemParts({ report }: Parts) {
  const { storage, files, disk, database, jobs, mail, backups } = report ?? {};
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Server report={report} />
      <Facts title="Database" facts={report && databaseFacts(report)} problems={[database?.problem]} />
      <Facts
        title="Files"
        facts={report && fileFacts(report)}
        problems={[storage?.problem, files?.problem, disk?.problem]}
      />
      <Facts title="Background Jobs" facts={report && jobFacts(report)} problems={[jobs?.problem]} />
      <Facts title="Email" facts={report && mailFacts(report)} problems={[mail?.problem]} />
      <Facts title="Backups" facts={report && backupFacts(report)} problems={[backups?.problem]} />
    </div>
  );
}

function Server({ report }: Parts) {
  const facts = report && [
    ['Version', report.version] as const,
    ['Node.js', report.runtime] as const,
    ...(report.processes.answer ?? []).map(
      ({ id, startedAt, version }): Fact => [
        `Process ${id}`,
        <>
          Started <RelativeTime date={startedAt} />
          {version !== null && version !== report.version && `, version ${version}`}
        </>,
      ],
    ),
  ];
  return <Facts title="Server" facts={facts} problems={[report?.processes.problem]} />;
}

function databaseFacts({ database: { answer } }: SystemReport): Fact[] {
  if (!answer) return [];
  return [
    ['Kind', `${answer.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${answer.version}`],
    ['Size', size(answer.bytes)],
    ['Latency', milliseconds(answer.latencyMs)],
    ['Schema', schemas[answer.schema]],
  ];
}

function fileFacts({ storage, files, disk }: SystemReport): Fact[] {
  const facts: Fact[] = [];
  if (storage.answer) {
    facts.push(['Storage', storage.answer.kind === 's3' ? 'S3-compatible store' : 'Local disk']);
    facts.push(['Latency', milliseconds(storage.answer.latencyMs)]);
  }
  if (files.answer) facts.push(['Kept', `${formatCount(files.answer.count, 'file')}, ${size(files.answer.bytes)}`]);
  if (disk.answer) facts.push(['Free disk', size(disk.answer.freeBytes)]);
  return facts;
}

function jobFacts({ jobs: { answer } }: SystemReport): Fact[] {
  if (!answer) return [];
  return [
    ['Waiting', formatNumber(answer.waiting)],
    ['Due', formatNumber(answer.due)],
    ...(answer.oldestDueAt ? [['Oldest due', time(answer.oldestDueAt)] as const] : []),
    ['Failed', formatNumber(answer.givenUp)],
  ];
}

function mailFacts({ mail: { answer } }: SystemReport): Fact[] {
  if (!answer) return [];
  const { delivers, lastSentAt, lastFailure } = answer;
  return [
    ['Delivery', delivers ? 'Through the mail server' : 'Off (saved to the data folder)'],
    [delivers ? 'Last sent' : 'Last kept', time(lastSentAt)],
    [
      'Last failure',
      lastFailure ? (
        <>
          {time(lastFailure.at)} ({lastFailure.failure})
        </>
      ) : (
        'None'
      ),
    ],
  ];
}

function backupFacts({ backups: { answer } }: SystemReport): Fact[] {
  if (!answer) return [];
  const { last, failedAt, beforeUpgrades } = answer;
  return [
    ['Last backup', time(last?.at)],
    ...(failedAt ? [['Last failed', time(failedAt)] as const] : []),
    ...(last ? [['File', `${last.name}, ${size(last.bytes)}`] as const] : []),
    [
      'Copies before upgrades',
      beforeUpgrades.count === 0
        ? 'None'
        : `${formatCount(beforeUpgrades.count, 'copy', 'copies')}, ${size(beforeUpgrades.bytes)}`,
    ],
  ];
}
