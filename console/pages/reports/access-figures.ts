import type { components } from '../../../client/src/generated.ts';
import { endOfDays, type Filter } from './figures.ts';

export type AccessLine = components['schemas']['Access'];

/** The figures, most urgent first. Those after `Overdue` are cumulative, and do not include `Overdue`. */
export const measures = ['Overdue', 'EndsWithin7Days', 'EndsWithin30Days', 'Open'] as const;
export type Measure = (typeof measures)[number];

const daysOf = { EndsWithin7Days: 7, EndsWithin30Days: 30 } as const;

/** The filter for the enrolments behind a figure. The clock of a test tenant differs from the browser's. */
export function filterOf(measure: Measure, { AsOf }: Pick<AccessLine, 'AsOf'>): Filter {
  if (measure === 'Overdue') return { status: 'overdue' };
  if (measure === 'Open') return { status: 'open' };
  return { status: 'open', before: endOfDays(daysOf[measure], AsOf) };
}

/**
 * The parts of a bar in percent: what each figure adds to those before it. Ends are counted separately, so they can
 * briefly exceed the open enrolments.
 */
export function partsOf({ Overdue, Open, EndsWithin7Days, EndsWithin30Days }: AccessLine) {
  const week = Math.min(EndsWithin7Days ?? 0, Open);
  const month = Math.min(Math.max(EndsWithin30Days ?? 0, week), Open);
  const sizes: Record<Measure, number> = {
    Overdue,
    EndsWithin7Days: week,
    EndsWithin30Days: month - week,
    Open: Open - month,
  };
  const sum = Overdue + Open;
  let from = 0;
  return measures.map((measure) => {
    const share = sum === 0 ? 0 : (100 * sizes[measure]) / sum;
    from += share;
    return { measure, from: from - share, share };
  });
}
