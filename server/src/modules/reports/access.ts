import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { accessCounter } from './count-access.ts';
import { completionCounter } from './count-completion.ts';
import { rejectIncomplete } from './event-counter.ts';
import {
  dayOfReport,
  type Kind,
  kindOf,
  type LineRow,
  type LinesQuery,
  listLines,
  placeOf,
} from './lines.ts';
import { dayOf } from './periods.ts';
import type { Access } from './schemas.ts';

type Row = LineRow & { open: number; overdue: number; week: number; month: number };

/** Reads at most 31 rows per line, whatever the number of enrolments. */
const endsText = `left join lateral (
  select coalesce(sum(ending.enrolments) filter (where ending.day <= $3::date + 7), 0)::integer as week,
    coalesce(sum(ending.enrolments), 0)::integer as month
  from access_end ending
  where ending.tenant_id = $1 and ending.kind = held.kind and ending.course_id = held.course_id
    and ending.group_name = held.group_name and ending.day between $3::date and $3::date + 30
) ends on true`;

/**
 * Lists the lines of the report. For past days, it is not known when access was going to end, because the event log
 * does not contain ends.
 */
export async function listAccess(ctx: TenantContext, input: LinesQuery) {
  const today = dayOf(tenantNow(ctx));
  const day = dayOfReport(ctx, input);
  const isPast = day < today;
  await rejectIncomplete(ctx, isPast ? [completionCounter] : [completionCounter, accessCounter]);
  const kind = kindOf(input);
  const lines = {
    day,
    isShown: 'day.open + day.overdue > 0',
    columns: 'day.open, day.overdue, ends.week, ends.month',
    join: endsText,
  };
  return listLines<Row, Access>(ctx, input, lines, (row) => toAccess(row, { kind, day, isPast }));
}

function toAccess(row: Row, { kind, day, isPast }: { kind: Kind; day: string; isPast: boolean }): Access {
  return {
    ...placeOf(row, kind),
    Open: row.open,
    EndsWithin7Days: isPast ? null : row.week,
    EndsWithin30Days: isPast ? null : row.month,
    Overdue: row.overdue,
    AsOf: day,
  };
}
