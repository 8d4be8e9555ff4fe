import type { SystemReport } from '@roster/contracts/system';
import type { OperatorConfig } from '#server/config/config';
import { openDatabaseUnlocked } from '#server/db/connect';
import { systemReport } from '#server/features/system/report';
import { openFileStore } from '#server/storage/create';

/** The state of the installation, as administrators see it on the System page; needs no running server. */
export async function check(config: OperatorConfig): Promise<{ text: string; isWell: boolean }> {
  const database = openDatabaseUnlocked(config.databaseUrl, config.dataDir);
  try {
    const store = await openFileStore(config);
    const report = await systemReport({ database, store, installation: config.installation });
    const refusal = config.refusal();
    const ofConfiguration = refusal === undefined ? [] : [{ level: 'problem' as const, text: refusal }];
    const whole = { ...report, warnings: [...ofConfiguration, ...report.warnings] };
    const missing = partsOf(whole).filter(([, { problem }]) => problem !== null);
    const isWell = missing.length === 0 && whole.warnings.every(({ level }) => level !== 'problem');
    return { text: describeReport(whole).join('\n'), isWell };
  } finally {
    await database.close();
  }
}

type Line = [label: string, part: { problem: string | null }, said: string | undefined];

const amount = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const orNever = (at: string | null | undefined) => at ?? 'never';

function partsOf(report: SystemReport): Line[] {
  const { processes, database, storage, files, disk, jobs, mail, backups } = report;
  const [db, kept, upgrades] = [database.answer, backups.answer?.last, backups.answer?.beforeUpgrades];
  return [
    ['Processes', processes, processes.answer?.map(process).join('; ') || 'none'],
    ['Database', database, db ? `${engines[db.engine]} ${db.version}, ${amount(db.bytes)}, ${db.latencyMs} ms` : ''],
    ['File store', storage, storage.answer ? `${stores[storage.answer.kind]}, ${storage.answer.latencyMs} ms` : ''],
    ['Files', files, files.answer ? `${files.answer.count}, ${amount(files.answer.bytes)}` : ''],
    ['Disk', disk, disk.answer ? `${amount(disk.answer.freeBytes)} free` : ''],
    ['Jobs', jobs, jobs.answer ? jobsInWords(jobs.answer) : ''],
    ['Email', mail, mail.answer ? mailInWords(mail.answer) : ''],
    ['Last backup', backups, kept ? `${kept.at}, ${kept.name}, ${amount(kept.bytes)}` : 'never'],
    ['Before upgrades', backups, upgrades ? `${upgrades.count} copies, ${amount(upgrades.bytes)}` : ''],
  ];
}

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const stores = { folder: 'folder', s3: 'S3' };

const process = ({ id, startedAt, version }: { id: number; startedAt: string; version: string | null }) =>
  `${id} (${version ?? 'of an earlier version'}) since ${startedAt}`;

function jobsInWords({ waiting, due, givenUp }: NonNullable<SystemReport['jobs']['answer']>): string {
  return `${waiting} waiting, ${due} of them due, ${givenUp} failed`;
}

function mailInWords({ delivers, lastSentAt, lastFailure }: NonNullable<SystemReport['mail']['answer']>): string {
  const failed = lastFailure ? `, last failure ${lastFailure.at} (${lastFailure.failure})` : '';
  return `${delivers ? 'sent by a mail server' : 'kept as files'}, last ${orNever(lastSentAt)}${failed}`;
}

function describeReport(report: SystemReport): string[] {
  const label = (text: string) => `${text}:`.padEnd(17);
  const parts = partsOf(report).map(([name, { problem }, text]) => `${label(name)}${problem ?? text}`);
  const levels = { problem: 'PROBLEM', advice: 'Advice' };
  const warnings = report.warnings.map(({ level, text }) => `${label(levels[level])}${text}`);
  return [`${label('Roster')}${report.version}, Node.js ${report.runtime}`, ...parts, ...warnings];
}
