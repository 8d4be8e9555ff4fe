import type { InstallationRetiringModel } from '@roster/contracts/models/retirement';
import { usageComparisonDays } from '@roster/contracts/usage/usage';
import type { OperatorConfig } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import { installationUseRepository } from '#server/features/models/retirement/installation-repository';
import { installationRetirements } from '#server/features/models/retirement/installation-retirements';
import { loadCatalogue } from '#server/provider/catalogue/catalogue';

type Row = readonly [model: string, end: string, assistants: string, people: string, calls: string, successor: string];

const header: Row = ['Model', 'Retires', 'Assistants', 'People', `Calls in ${usageComparisonDays} days`, 'Successor'];

const rowOf = ({ model, isTuned, ...end }: InstallationRetiringModel): Row => [
  isTuned ? `fine-tuned from ${model}` : model,
  `${end.shutdownDate}${end.lifecycle === 'gone' ? ' (retired)' : ''}`,
  String(end.assistants),
  String(end.people),
  String(end.calls),
  end.successor ?? '',
];

/** Numbers are right-aligned, texts left-aligned. */
function lineOf(row: Row, widths: readonly number[]): string {
  const cells = row.map((cell, column) =>
    column >= 2 && column <= 4 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
  );
  return cells.join('  ').trimEnd();
}

/** The retiring models and what uses each, as administrators see them on the System page. */
export async function retiringModels(database: OpenDatabase, config: OperatorConfig): Promise<string> {
  const { baseUrl, modelCatalogue } = config;
  const catalogue = loadCatalogue(modelCatalogue);
  const use = installationUseRepository(database.reader);
  const ends = await installationRetirements({ use, catalogue, baseUrl, now: Date.now });
  if (ends.length === 0) return 'No model in use here has been retired or will be within 90 days.';
  const rows = [header, ...ends.map(rowOf)];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => lineOf(row, widths)).join('\n');
}
