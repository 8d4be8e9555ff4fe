import { added, medianOf, megabytes, ms, printTable, times, verdict } from './figures.ts';
import type { FirstTokens } from './first-token.ts';
import type { PacedResult } from './paced.ts';
import type { TargetResult } from './relay.ts';
import { settings } from './settings.ts';

type Line = {
  what: string;
  figure: (of: TargetResult) => number;
  show?: (value: number) => string;
  /** How Roster is compared with the bare relay, and the target. */
  compare: 'added' | 'ratio' | 'alone';
  aim?: number;
};

const firstTokenLines = (what: string, of: (m: TargetResult) => FirstTokens[]): Line[] => [
  { what: `${what}, p50`, figure: (m) => medianOf(of(m), ({ p50 }) => p50), compare: 'added', aim: 5 },
  { what: `${what}, p95`, figure: (m) => medianOf(of(m), ({ p95 }) => p95), compare: 'added', aim: 15 },
  { what: `${what}: stored after, p50`, figure: (m) => medianOf(of(m), (t) => t.accepted), compare: 'alone' },
];

/** The tables of the relay, with the medians of the runs. */
export function reportRelay(measured: TargetResult[], commit: { p50: number; p95: number }) {
  const [, bare, roster, portkey] = measured;
  if (!bare || !roster) return;
  const columns = measured.map(({ target }) => target.name);
  const head = ['', ...columns, 'Roster against bare', 'aim', ''];

  const row = ({ what, figure, show = ms, compare, aim }: Line): string[] => {
    const values = measured.map((of) => (compare === 'alone' && of !== roster ? Number.NaN : figure(of)));
    const [floor, own] = [figure(bare), figure(roster)];
    const compared = { added: own - floor, ratio: own / floor, alone: own }[compare];
    const showCompared = { added, ratio: times, alone: () => '' }[compare];
    return [
      what,
      ...values.map((value) => (Number.isNaN(value) ? '–' : show(value))),
      showCompared(compared),
      aim === undefined ? '' : { added: `+${aim} ms`, ratio: `${aim}×`, alone: show(aim) }[compare],
      aim === undefined ? '' : verdict(compared, aim),
    ];
  };

  const idle = [
    ...firstTokenLines('kept connection', (m) => m.kept),
    ...firstTokenLines('new connection', (m) => m.fresh),
  ];
  printTable('Time to the first token, one stream after the other', head, idle.map(row));
  console.log(`\nOne commit of SQLite on this disk: p50 ${ms(commit.p50)}, p95 ${ms(commit.p95)}`);

  for (const level of settings.levels) {
    const paced = (figure: (run: PacedResult) => number) => (m: TargetResult) =>
      medianOf(m.paced.get(level) ?? [], figure);
    const lines: Line[] = [
      { what: 'first token, p50', figure: paced((r) => r.firstToken.p50), compare: 'added', aim: 5 },
      { what: 'first token, p95', figure: paced((r) => r.firstToken.p95), compare: 'added', aim: 15 },
      { what: 'stored after, p50', figure: paced((r) => r.accepted.p50), compare: 'alone' },
      { what: 'delay of a token, p50', figure: paced((r) => r.delay.p50), compare: 'added' },
      { what: 'delay of a token, p95', figure: paced((r) => r.delay.p95), compare: 'added', aim: 50 },
      { what: 'delay of a token, p99', figure: paced((r) => r.delay.p99), compare: 'added' },
      { what: 'delay of a token, longest', figure: paced((r) => r.delay.max), compare: 'added' },
      {
        what: 'processor, per stream and second',
        figure: paced((r) => r.cpu.whole),
        compare: 'ratio',
        aim: 2,
      },
      { what: 'the same, without begin and end', figure: paced((r) => r.cpu.steady), compare: 'ratio' },
      {
        what: 'memory, at most',
        figure: paced((r) => r.resident),
        show: megabytes,
        compare: 'alone',
        aim: 300 * 1024 * 1024,
      },
    ];
    printTable(`${level} ${level === 1 ? 'stream' : 'streams'} of 20 tokens a second`, head, lines.map(row));
    if (!portkey?.paced.has(level)) continue;
    const cpu = paced((r) => r.cpu.whole);
    console.log(`\n${portkey.target.name} needs ${times(cpu(portkey) / cpu(bare))} the processor of the bare relay`);
  }
}
