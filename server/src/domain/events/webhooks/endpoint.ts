import { forTenant } from '../../../db/transaction.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { type Claimed, keepClaim, releaseClaim, type Slots } from './claim.ts';
import { createDeliveries, readPending } from './create-deliveries.ts';
import { type DeliveryQueues, openDeliveryQueues, type Waiting } from './delivery-queues.ts';
import {
  afterAttempt,
  beginEndpoint,
  type ConcurrencyPool,
  type EndpointEffect,
  type EndpointEvent,
  type EndpointState,
  isIdle,
  maxWaiting,
  mayBegin,
  mayRead,
  poolOf,
  reduceEndpoint,
  wantsMore,
} from './endpoint-state.ts';
import { disableFailing, openPause, type Pause, recordHealth, recordResult } from './results.ts';
import { openSender, type Sender } from './send.ts';
import { type Source, type Sources, sourceOf } from './source.ts';

/** State shared by all endpoints on a node. */
export type Node = {
  ctx: Context;
  sources: Sources;
  id: string;
  pools: Record<ConcurrencyPool, Slots>;
  /** Concurrent deliveries to one endpoint. */
  concurrency: number;
  /** When aborted, no more deliveries are started. */
  draining: AbortSignal;
  /** When aborted, deliveries in progress are released. */
  ending: AbortSignal;
};

/** The decisions are made in `endpoint-state.ts`; the functions here carry out their effects. */
type Work = {
  node: Node;
  ctx: TenantContext;
  webhookId: string;
  source: Source;
  state: EndpointState;
  queues: DeliveryQueues;
  sender: Sender;
  pause: Pause;
  inProgress: Set<Promise<void>>;
  /** Called when a slot is free. This is always the same function, so the endpoint is in the queue only once. */
  resume: () => void;
};

const idleCheckMilliseconds = 500;
/** A delivery that has had no response for this long is considered to be hanging. */
const hangingAfter = 1_000;

/** Delivers to one endpoint while there is something to deliver, then releases it. */
export async function deliverTo(node: Node, claimed: Claimed): Promise<void> {
  const work: Work = {
    node,
    ctx: forTenant(node.ctx, claimed.tenantId),
    webhookId: claimed.webhook_id,
    source: sourceOf(node.sources, claimed),
    state: beginEndpoint(claimed),
    queues: openDeliveryQueues(),
    sender: openSender(node.ctx.config),
    pause: openPause(),
    inProgress: new Set(),
    resume: () => pump(work),
  };
  const close = () => void dispatch(work, { kind: 'closed' });
  node.draining.addEventListener('abort', close);
  if (node.draining.aborted) close();
  try {
    await deliverAll(work);
    await Promise.all(work.inProgress);
    if (work.state.failure !== null) throw work.state.failure;
  } finally {
    node.draining.removeEventListener('abort', close);
    close();
    await Promise.all(work.inProgress);
    work.sender.close();
    const { ctx, webhookId, state } = work;
    const wakeAt = work.queues.wakeAt(ctx.now());
    await releaseClaim(ctx, { owner: node.id, webhookId, position: state.position, wakeAt });
  }
}

async function dispatch(work: Work, event: EndpointEvent): Promise<void> {
  const { state, effects } = reduceEndpoint(work.state, event);
  work.state = state;
  for (const effect of effects) await perform(work, effect);
}

function perform(work: Work, effect: EndpointEffect): Promise<void> | void {
  const { ctx, webhookId } = work;
  switch (effect.kind) {
    case 'release-slot':
      return work.node.pools[effect.pool].release();
    case 'makeAllDue':
      return work.queues.makeAllDue();
    case 'wake':
      return work.pause.end();
    case 'record-health':
      return recordHealth(ctx, { webhookId, failingSince: effect.failingSince });
    case 'disable':
      return disableFailing(ctx, { webhookId, failingSince: effect.failingSince });
  }
}

async function deliverAll(work: Work): Promise<void> {
  while (!work.state.isClosed) {
    await readLog(work);
    const now = work.ctx.now();
    if (isIdle(work.state, work.queues.wakeAt(now), now)) return;
    if (!work.state.isClosed) await work.pause.begin(idleCheckMilliseconds);
    pump(work);
  }
}

/** Renews the claim and creates deliveries from the log until enough are pending. */
async function readLog(work: Work): Promise<void> {
  const { ctx, node, webhookId, source, queues } = work;
  const kept = await keepClaim(ctx, node.id, webhookId);
  if (!kept) return dispatch(work, { kind: 'closed' });
  await dispatch(work, { kind: 'kept', endpoint: kept });
  while (mayRead(work.state, queues.size)) {
    const { endpoint, position, lastNumber } = work.state;
    const taken = await createDeliveries(ctx, { owner: node.id, endpoint, source, position });
    const { enabledAt } = endpoint;
    const pending = await readPending(ctx, {
      webhookId,
      enabledAt,
      afterNumber: lastNumber,
      max: maxWaiting,
    });
    for (const waiting of pending) queues.add(waiting);
    await dispatch(work, { kind: 'read', ...taken, lastNumber: pending.at(-1)?.number ?? lastNumber });
    pump(work);
  }
}

/** Starts as many deliveries as possible. If no slot is free, this function is called again when one becomes free. */
function pump(work: Work): void {
  const { ctx, node, queues } = work;
  while (mayBegin(work.state, node.concurrency) && queues.isDue(ctx.now())) {
    const pool = poolOf(work.state);
    if (!node.pools[pool].take(ctx.tenantId, work.resume)) return;
    const waiting = queues.take(ctx.now());
    if (waiting) begin(work, waiting, pool);
    else node.pools[pool].release();
  }
}

function begin(work: Work, waiting: Waiting, pool: ConcurrencyPool): void {
  let wasLate = false;
  const late = setTimeout(() => {
    wasLate = true;
    void dispatch(work, { kind: 'late', pool });
  }, hangingAfter);
  void dispatch(work, { kind: 'begun' });
  const delivery = deliver(work, waiting, pool)
    .then(
      () => null,
      (error: unknown) => error,
    )
    .then((error) => {
      work.inProgress.delete(delivery);
      clearTimeout(late);
      void dispatch(work, { kind: 'ended', pool, wasLate, error });
      pump(work);
      if (wantsMore(work.state, work.queues.size)) work.pause.end();
    });
  work.inProgress.add(delivery);
}

async function deliver(work: Work, waiting: Waiting, pool: ConcurrencyPool): Promise<void> {
  const { ctx, node, webhookId, source, sender, queues } = work;
  const { endpoint } = work.state;
  const at = ctx.now();
  const outcome = await source.send(ctx, {
    endpoint,
    delivery: waiting,
    sender,
    at,
    stop: node.ending,
    // In the healthy pool, a delivery without a response releases its slot anyway.
    nextTurn: async () => {
      if (pool === 'failing') await node.pools.failing.passOn(ctx.tenantId);
    },
  });
  if (!outcome.delivered && node.ending.aborted) return queues.release(waiting);
  const { resumedAt } = work.state.endpoint;
  const times = { at, now: ctx.now(), resumedAt };
  const tried = afterAttempt(waiting, outcome, { ...times, keepsOrder: source.keepsOrder });
  await recordResult(ctx, {
    webhook_id: webhookId,
    delivery_id: tried.deliveryId,
    status: outcome.delivered ? 'delivered' : tried.next ? 'pending' : 'failed',
    attempts: tried.attempts,
    first_attempt_at: tried.first,
    attempted_at: at,
    next_attempt_at: tried.next,
    url: endpoint.url,
    response_status: outcome.status,
    response_body: outcome.body,
    error: outcome.error,
    milliseconds: outcome.milliseconds,
  });
  if (tried.next) queues.release(tried);
  else queues.done(tried);
  const isHealthy = outcome.delivered || outcome.isRefused === true;
  await dispatch(work, { kind: 'answered', delivered: isHealthy, at });
}
