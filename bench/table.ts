import { median } from './median.ts';
import type { Measured } from './round.ts';

/** Medians of the rounds. */
export type Row = {
  target: string;
  operation: string;
  nodes: number;
  connections: number;
  open: boolean;
  /** Rows per second for bulk calls, and otherwise requests per second. */
  perSecond: number;
  lowest: number;
  highest: number;
  limit: number;
  /** Null for runs at half the rate, which have no limit to compare with. */
  ratio: number | null;
  /** Only for operations that write a row per request. */
  plainLimit: number | null;
  plainRatio: number | null;
  p50: number;
  p99: number;
  serviceCpu: number;
  serverCpu: number | null;
  memory: number;
  wrong: number;
  firstWrong: string | null;
};

export function summarize(measured: Measured[]): Row[] {
  const groups = Map.groupBy(measured, ({ target, operation, shape }) =>
    JSON.stringify([target, operation, shape]),
  );
  return [...groups.values()].map((all): Row => {
    const [first] = all;
    if (!first) throw new Error('A group must not be empty.');
    const { target, operation, shape } = first;
    const of = (value: (one: Measured) => number | null) => {
      const known = all.map(value).filter((one) => one !== null);
      return known.length === 0 ? null : median(known);
    };
    const rates = all.map(({ figure }) => figure.perSecond);
    return {
      target,
      operation,
      ...shape,
      perSecond: median(rates),
      lowest: Math.min(...rates),
      highest: Math.max(...rates),
      limit: median(all.map(({ limit }) => limit)),
      ratio: shape.open ? null : median(all.map(({ figure, limit }) => figure.perSecond / limit)),
      plainLimit: of(({ plainLimit }) => plainLimit),
      plainRatio: shape.open
        ? null
        : of(({ figure, plainLimit }) => (plainLimit === null ? null : figure.perSecond / plainLimit)),
      p50: median(all.map(({ figure }) => figure.p50)),
      p99: median(all.map(({ figure }) => figure.p99)),
      serviceCpu: median(all.map(({ serviceCpu }) => serviceCpu)),
      serverCpu: of(({ serverCpu }) => serverCpu),
      memory: Math.max(...all.map(({ memory }) => memory)),
      wrong: all.reduce((sum, { figure }) => sum + figure.wrong, 0),
      firstWrong: all.find(({ figure }) => figure.firstWrong)?.figure.firstWrong ?? null,
    };
  });
}

const number = (value: number) => Math.round(value).toLocaleString('en');
const time = (value: number) => value.toFixed(value < 10 ? 2 : 1);

/** Prints the results as one Markdown table. */
export function printTable(rows: Row[], rounds: number, seconds: number): void {
  console.log(
    `\nMedians of ${rounds} rounds of ${seconds} s; the load generator and the database are on the same machine. Limit: the rate of the database alone with ` +
      'one or 50 rows per statement; for reads, clicks and commits, the rate of HTTP alone. Plain limit: two inserts per ' +
      'statement into tables that have only a primary key.\n',
  );
  const heads = [
    'database',
    'operation',
    'nodes',
    'connections',
    'per s (lowest–highest)',
    'limit',
    'ratio',
    'plain limit',
    'ratio',
    'p50 ms',
    'p99 ms',
    'CPU µs: service + server',
    'memory MB',
    'wrong',
  ];
  console.log(`| ${heads.join(' | ')} |\n|${heads.map(() => '---').join('|')}|`);
  for (const row of rows) {
    const cells = [
      row.target,
      row.operation,
      row.nodes,
      row.open ? 'open, half the rate' : row.connections,
      `${number(row.perSecond)} (${number(row.lowest)}–${number(row.highest)})`,
      number(row.limit),
      row.ratio === null ? '' : row.ratio.toFixed(2),
      row.plainLimit === null ? '' : number(row.plainLimit),
      row.plainRatio === null ? '' : row.plainRatio.toFixed(2),
      time(row.p50),
      time(row.p99),
      `${number(row.serviceCpu)}${row.serverCpu === null ? '' : ` + ${number(row.serverCpu)}`}`,
      number(row.memory),
      row.wrong,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  for (const { target, operation, firstWrong } of rows)
    if (firstWrong !== null) console.log(`\nwrong: ${target}, ${operation}: ${firstWrong}`);
}
