import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Log } from '../operations/log.ts';
import { keepCounts } from './merge-metrics.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { afterEnd, noRestarts, type Restarts, shouldGiveUp } from './restarts.ts';
import type { Answers, MetricValues, Query } from './workers.ts';

/** A worker that has not answered a query within this time is blocked or exiting. */
const answerMilliseconds = 1_000;

type Member = {
  readonly worker: Worker;
  servingSince: number | null;
  /** The worker's last reported metrics. */
  metrics: MetricValues[];
  /** The reason why the worker could not start. */
  reason: string | null;
};

type Node = {
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly members: Map<number, Member>;
  /** Whether all workers have served once. */
  isStarted: boolean;
  isStopping: boolean;
  restarts: Restarts;
  replaced: number;
  readonly pauses: Set<NodeJS.Timeout>;
  /** The counters of workers that have ended. */
  ended: Promise<MetricValues[]>;
  queries: number;
  readonly waiting: Map<number, (answer: Answers[Query] | null) => void>;
  readonly onServing: () => void;
  readonly onFailed: (error: Error) => void;
};

export type Supervisor = {
  stop: () => Promise<void>;
  /** Rejects with the reason when no worker can be kept running. */
  failed: Promise<never>;
};

/** Runs this program in `count` worker processes that share its ports, and replaces those that end. */
export async function superviseWorkers(count: number, log: Node['log']): Promise<Supervisor> {
  // The primary accepts connections and passes them to the workers in turn. Otherwise, a few
  // workers would get most connections.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const serving = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const node: Node = {
    log,
    members: new Map(),
    isStarted: false,
    isStopping: false,
    restarts: noRestarts,
    replaced: 0,
    pauses: new Set(),
    ended: Promise.resolve([]),
    queries: 0,
    waiting: new Map(),
    onServing: () => {
      if (servingIn(node).length === count) serving.resolve();
    },
    onFailed: (error) => {
      void stop(node)
        .catch(() => {})
        .finally(() => failed.reject(error));
    },
  };
  for (let number = 0; number < count; number++) begin(node);
  await Promise.race([serving.promise, failed.promise]);
  node.isStarted = true;
  return { stop: () => stop(node), failed: failed.promise };
}

const servingIn = ({ members }: Node) =>
  [...members.values()].filter(({ servingSince }) => servingSince !== null);

function send({ worker }: Member, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, () => {});
}

function begin(node: Node): void {
  const worker = cluster.fork();
  const member: Member = { worker, servingSince: null, metrics: [], reason: null };
  node.members.set(worker.id, member);
  worker.on('error', () => {});
  worker.on('message', (message: FromWorker) => take(node, member, message));
  worker.on('exit', (code, signal) => {
    end(node, member, code ?? signal);
  });
}

function take(node: Node, member: Member, message: FromWorker): void {
  if (message.kind === 'failed') member.reason = message.reason;
  else if (message.kind === 'answer') node.waiting.get(message.queryId)?.(message.answer);
  else if (message.kind === 'ask') void passOn(node, member, message);
  else if (message.kind === 'spent') {
    for (const other of servingIn(node)) if (other !== member) send(other, message);
  } else {
    member.servingSince = performance.now();
    const { id, process } = member.worker;
    node.log.info({ worker: id, pid: process.pid }, 'a worker is ready');
    node.onServing();
  }
}

async function passOn(node: Node, asker: Member, { queryId, query }: { queryId: number; query: Query }) {
  const answers = await Promise.all(
    servingIn(node).map(async (member) => {
      const answer = await ask(node, member, query);
      if (query !== 'metrics') return answer;
      if (answer) member.metrics = answer as Answers['metrics'];
      return member.metrics;
    }),
  );
  if (query === 'metrics') answers.push(await node.ended, [replacements(node)]);
  send(asker, { kind: 'answers', queryId, answers });
}

function ask(node: Node, member: Member, query: Query): Promise<Answers[Query] | null> {
  const queryId = ++node.queries;
  return new Promise<Answers[Query] | null>((resolve) => {
    const late = setTimeout(resolve, answerMilliseconds, null);
    node.waiting.set(queryId, (answer) => {
      clearTimeout(late);
      resolve(answer);
    });
    send(member, { kind: 'ask', queryId, query });
  }).finally(() => node.waiting.delete(queryId));
}

/** Added to the workers' own counters of this name, which stay 0. */
function replacements({ replaced }: Node): MetricValues {
  return {
    name: 'lectern_worker_replacements_total',
    help: '',
    type: 'counter',
    aggregator: 'sum',
    values: [{ value: replaced, labels: {} }],
  };
}

function end(node: Node, member: Member, how: number | string): void {
  const { worker, servingSince, reason } = member;
  node.members.delete(worker.id);
  if (node.isStopping) return;
  const { restarts, pause } = afterEnd(
    node.restarts,
    servingSince === null ? null : performance.now() - servingSince,
  );
  node.restarts = restarts;
  const details = {
    worker: worker.id,
    pid: worker.process.pid,
    ended: how,
    ...(reason === null ? {} : { reason }),
  };
  // The worker has given a reason for the operator, and another attempt would fail for the same reason.
  const isPermanentFailure = reason !== null && !node.isStarted;
  if (isPermanentFailure || shouldGiveUp(restarts, servingIn(node).length)) {
    if (reason === null) node.log.error(details, 'a worker exited unexpectedly');
    node.onFailed(new Error(reason ?? `Workers keep exiting before they can serve requests (${how}).`));
    return;
  }
  if (how === 0) node.log.info(details, 'a worker was stopped and will be replaced');
  else node.log.error({ ...details, pause }, 'a worker exited unexpectedly and will be replaced');
  const timer = setTimeout(() => {
    node.pauses.delete(timer);
    node.replaced++;
    begin(node);
  }, pause);
  node.pauses.add(timer);
  node.ended = node.ended.then((ended) => keepCounts(ended, member.metrics));
}

async function stop(node: Node): Promise<void> {
  node.isStopping = true;
  for (const timer of node.pauses) clearTimeout(timer);
  const members = [...node.members.values()];
  const codes = await Promise.all(
    members.map(async (member) => {
      const exited = once(member.worker, 'exit');
      send(member, { kind: 'stop' });
      const [code] = await exited;
      return code;
    }),
  );
  if (codes.some((code) => code !== 0)) throw new Error('A worker did not shut down properly.');
}
