import type { TenantContext } from '../../platform/context.ts';
import { outcomes } from '../enrolments/outcome.ts';
import { completionCounter } from './count-completion.ts';
import { rejectIncomplete } from './event-counter.ts';
import {
  dayOfReport,
  type FigureRow,
  type Kind,
  kindOf,
  type LinesQuery,
  listLines,
  placeOf,
} from './lines.ts';
import type { Completion } from './schemas.ts';

/** Lists the lines of the report, with their figures at the end of a day. */
export async function listCompletion(ctx: TenantContext, input: LinesQuery) {
  const day = dayOfReport(ctx, input);
  await rejectIncomplete(ctx, [completionCounter]);
  const kind = kindOf(input);
  const lines = {
    day,
    isShown: `${outcomes.map((outcome) => `day.${outcome}`).join(' + ')} > 0`,
    columns: outcomes.map((outcome) => `day.${outcome}`).join(', '),
  };
  return listLines<FigureRow, Completion>(ctx, input, lines, (row) => toCompletion(row, { kind, day }));
}

/** Completed enrolments as a percentage of the enrolments that were not withdrawn, to one decimal place. */
function rateOf(completed: number, relevant: number): number | null {
  return relevant === 0 ? null : Math.round((1_000 * completed) / relevant) / 10;
}

function toCompletion(row: FigureRow, { kind, day }: { kind: Kind; day: string }): Completion {
  const completed = row.passed + row.completed;
  const relevant = row.not_started + row.in_progress + completed + row.failed + row.expired;
  return {
    ...placeOf(row, kind),
    Enrolments: relevant + row.withdrawn,
    NotStarted: row.not_started,
    InProgress: row.in_progress,
    Completed: completed,
    Expired: row.expired,
    Withdrawn: row.withdrawn,
    Passed: row.passed,
    Failed: row.failed,
    CompletionRate: rateOf(completed, relevant),
    AsOf: day,
  };
}
