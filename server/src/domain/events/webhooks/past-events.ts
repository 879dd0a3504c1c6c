import { run } from '../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { invalid } from '../../../lib/errors.ts';
import { lowestId } from '../../../lib/ids.ts';
import type { Replay } from './schemas.ts';
import type { NewDelivery } from './source.ts';

/** Maximum deliveries that a replay creates, and maximum deliveries that may be pending for the endpoint afterwards. */
export const maxReplayed = 10_000;
/** Maximum number of events that a replay reads, because other callers' lists wait until it has finished. */
const maxScanned = 50_000;
/**
 * Maximum time between creating an event's ID and inserting the event, which may wait for a
 * password hash or the database.
 */
const maxInsertDelay = 60_000;

const columns = (event: string) => `${event}.event_id, ${event}.position, ${event}.type,
  coalesce(${event}.enroll_id, ${event}.user_id, ${event}.event_id) as lane`;

const named = `
select ${columns('event')}, true as matches from event
where event.tenant_id = $1 and event.event_id = any($2::uuid[]) and ($3::text[] is null or event.type = any($3))`;

/**
 * IDs start with their creation time, so the primary key finds the first event. A page reads a fixed number
 * of events, including events that do not match.
 */
const pageRows = 500;
const inRange = `
with page as (
  select event.* from event
  where event.tenant_id = $1 and event.event_id > $2::uuid
  order by event.event_id limit ${pageRows}
)
select ${columns('page')},
  page.occurred_at >= $3 and page.occurred_at < $4 and ($5::text[] is null or page.type = any($5)) as matches
from page order by page.event_id`;

type Found = { event_id: string; position: number; type: string; lane: string; matches: boolean };

type Input = Replay & { types: string[] | null };

/** Finds events in the order of the log. */
export async function findPastEvents(ctx: TenantContext, input: Input): Promise<NewDelivery[]> {
  const found = input.EventIDs
    ? await run<Found>(ctx, named, [ctx.tenantId, input.EventIDs, input.types])
    : await eventsInRange(ctx, input);
  return found
    .sort((one, other) => one.position - other.position)
    .map(({ event_id, type, lane }) => ({ event_id, type, lane }));
}

async function eventsInRange(ctx: TenantContext, input: Input): Promise<Found[]> {
  const from = new Date(input.From ?? 0);
  const until = input.Until === undefined ? tenantNow(ctx) : new Date(input.Until);
  const found: Found[] = [];
  let after: string | undefined = lowestId(new Date(from.getTime() - maxInsertDelay));
  let visited = 0;
  while (after !== undefined && found.length <= maxReplayed) {
    if (visited >= maxScanned)
      throw invalid(
        'From',
        `This range contains more than ${maxScanned} events of all types. Choose a shorter range.`,
      );
    const page: Found[] = await run<Found>(ctx, inRange, [ctx.tenantId, after, from, until, input.types]);
    found.push(...page.filter(({ matches }) => matches));
    visited += page.length;
    after = page.length === pageRows ? page.at(-1)?.event_id : undefined;
  }
  if (found.length > maxReplayed)
    throw invalid('From', `This range contains more than ${maxReplayed} events. Choose a shorter range.`);
  return found;
}
