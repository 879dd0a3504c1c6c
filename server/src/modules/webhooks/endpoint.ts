import type { Context, TenantContext } from '../../platform/context.ts';
import { nextAttempt, patienceMilliseconds } from './backoff.ts';
import { type Claimed, keepClaim, releaseClaim } from './claim.ts';
import { readPending, takeIn } from './intake.ts';
import { openLanes, type Waiting } from './lanes.ts';
import { readBody, toMessage } from './message.ts';
import { disableFailing, recordHealth, recordResult } from './results.ts';
import { type Outcome, openSender } from './send.ts';
import type { Slots } from './slots.ts';

/** What the endpoints of one node share. */
export type Node = {
  ctx: Context;
  id: string;
  /** Endpoints that failed last wait for each other in a bound of their own, never for the healthy ones. */
  healthy: Slots;
  failing: Slots;
  /** Deliveries at once to one endpoint. */
  concurrency: number;
  /** Aborted: nothing new begins. */
  draining: AbortSignal;
  /** Aborted: what is on its way is given back. */
  ending: AbortSignal;
};

const tick = 500;
/** Below this many the log is read again; more wait in the log itself. */
const mostWaiting = 10_000;
/** Whoever has nothing to do for so long gives the endpoint back. */
const longestRest = 10_000;
/** Whoever has not answered for so long gives the place among the healthy back, and gets no other one till then. */
const hangingAfter = 1_000;
/** An endpoint that answers again after so long gets at once what waits. */
const hastenAfter = 60_000;

const latest = (at: Date, resumedAt: Date | null) => (resumedAt && resumedAt > at ? resumedAt : at);
const isHopeless = (since: Date, now: Date) => now.getTime() - since.getTime() >= patienceMilliseconds;

/** Delivers to one endpoint as long as there is something to deliver, then gives it back. */
export async function deliverTo(node: Node, claimed: Claimed): Promise<void> {
  const ctx: TenantContext = { ...node.ctx, tenantId: claimed.tenantId };
  const webhookId = claimed.webhook_id;
  const lanes = openLanes();
  const sender = openSender(ctx.config);
  let endpoint = claimed;
  let position = claimed.position;
  let beyond = 0;
  let more = true;
  let failingSince = claimed.failingSince;
  let failures = failingSince ? 1 : 0;
  let hanging = 0;
  let lost = false;
  let trouble: unknown = null;
  const underWay = new Set<Promise<void>>();
  let nudge = () => {};

  const isOver = () => lost || trouble !== null || node.draining.aborted;

  const pump = (): void => {
    const most = Math.max(1, Math.floor(node.concurrency / 2 ** failures));
    while (!isOver() && underWay.size < most && lanes.isDue(ctx.now())) {
      const isHealthy = failures === 0 && hanging === 0;
      const slots = isHealthy ? node.healthy : node.failing;
      if (!slots.take(pump)) return;
      const waiting = lanes.take(ctx.now());
      if (!waiting) {
        slots.give();
        return;
      }
      let isLate = false;
      const late = setTimeout(() => {
        hanging++;
        isLate = true;
        if (isHealthy) slots.give();
      }, hangingAfter);
      const delivery = deliver(waiting)
        .catch((error: unknown) => {
          trouble ??= error;
        })
        .finally(() => {
          underWay.delete(delivery);
          clearTimeout(late);
          if (isLate) hanging--;
          if (!isLate || !isHealthy) slots.give();
          pump();
          if (underWay.size === 0 || (more && lanes.size < mostWaiting / 10)) nudge();
        });
      underWay.add(delivery);
    }
  };

  const deliver = async (waiting: Waiting): Promise<void> => {
    const body = await readBody(ctx, waiting.eventId);
    if (!body) throw new Error(`The event ${waiting.eventId} of a delivery does not exist.`);
    const at = ctx.now();
    const outcome = await sender.send(toMessage(ctx, endpoint, body, at), node.ending);
    if (!outcome.delivered && node.ending.aborted) return lanes.giveBack(waiting);
    waiting.attempts++;
    waiting.first ??= at;
    const again = outcome.delivered
      ? null
      : nextAttempt({
          ...outcome,
          attempts: waiting.attempts,
          first: latest(waiting.first, endpoint.resumedAt),
          now: ctx.now(),
        });
    await recordResult(ctx, {
      webhook_id: webhookId,
      delivery_id: waiting.deliveryId,
      status: outcome.delivered ? 'delivered' : again ? 'pending' : 'failed',
      attempts: waiting.attempts,
      first_attempt_at: waiting.first,
      attempted_at: at,
      next_attempt_at: again,
      url: endpoint.url,
      response_status: outcome.status,
      response_body: outcome.body,
      error: outcome.error,
      milliseconds: outcome.milliseconds,
    });
    waiting.next = again;
    if (again) lanes.giveBack(waiting);
    else lanes.done(waiting);
    await judge(outcome, at);
  };

  /** What an outcome says of the endpoint as a whole. */
  const judge = async ({ delivered }: Outcome, at: Date): Promise<void> => {
    failures = delivered ? 0 : failures + 1;
    if (delivered && failingSince) {
      if (at.getTime() - failingSince.getTime() > hastenAfter) lanes.hasten();
      failingSince = null;
      await recordHealth(ctx, { webhookId, failingSince });
    } else if (!delivered && !failingSince) {
      failingSince = at;
      await recordHealth(ctx, { webhookId, failingSince });
    } else if (!delivered && failingSince && isHopeless(latest(failingSince, endpoint.resumedAt), at)) {
      lost = true;
      await disableFailing(ctx, { webhookId, failingSince });
    }
  };

  const takeMore = async (): Promise<boolean> => {
    const kept = await keepClaim(ctx, node.id, webhookId);
    if (!kept) return false;
    endpoint = kept;
    for (more = true; more && lanes.size < mostWaiting && !isOver(); ) {
      ({ position, more } = await takeIn(ctx, { owner: node.id, endpoint, position }));
      const pending = await readPending(ctx, { webhookId, beyond, most: mostWaiting });
      for (const waiting of pending) lanes.add(waiting);
      beyond = pending.at(-1)?.number ?? beyond;
      pump();
    }
    return true;
  };

  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, tick);
      nudge = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isOver()) nudge();
    });
  const onDrain = () => nudge();
  node.draining.addEventListener('abort', onDrain);

  try {
    while (!isOver()) {
      if (!(await takeMore())) lost = true;
      const wakeAt = lanes.wakeAt(ctx.now());
      const isIdle = underWay.size === 0 && !more;
      if (isIdle && (!wakeAt || wakeAt.getTime() - ctx.now().getTime() > longestRest)) break;
      await rest();
      pump();
    }
    await Promise.all(underWay);
    if (trouble !== null) throw trouble;
  } finally {
    node.draining.removeEventListener('abort', onDrain);
    await Promise.all(underWay);
    sender.close();
    const wakeAt = lanes.wakeAt(ctx.now());
    await releaseClaim(ctx, { owner: node.id, webhookId, position, wakeAt });
  }
}
