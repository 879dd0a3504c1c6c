import type { MetricObjectWithValues, MetricValue } from 'prom-client';

type Reported = MetricObjectWithValues<MetricValue<string>>;
/** A metric as prom-client reports it, after a round trip through JSON. */
export type MetricValues = Pick<Reported, 'name' | 'help' | 'aggregator' | 'values'> & { type: unknown };

/** The queries that the processes of a node ask each other, with the type of each answer. */
export type Answers = {
  metrics: MetricValues[];
  /** `fullPool`: a pool that has been full for some time. */
  load: { fullPool: string | null };
};
export type Query = keyof Answers;

/**
 * Amounts spent from budgets per minute. For each budget, there are pairs of a caller and an
 * amount.
 */
export type Spent = Record<string, [string, number][]>;

/** The processes that share this node's ports. */
export type Workers = {
  readonly count: number;
  /** Declares how this process answers a query. */
  answer<Q extends Query>(query: Q, find: () => Promise<Answers[Q]>): void;
  /** The answers of all processes, including this one; null for a process that does not answer in time. */
  ask<Q extends Query>(query: Q): Promise<(Answers[Q] | null)[]>;
  /** Reports the amounts spent in this process to the other processes. */
  share(spent: Spent): void;
  onShared(take: (spent: Spent) => void): void;
};

export type AnswerFunctions = { [Q in Query]?: () => Promise<Answers[Q]> };

/** A node of one process. */
export function onlyProcess(): Workers {
  const finders: AnswerFunctions = {};
  return {
    count: 1,
    answer: (query, find) => {
      Object.assign(finders, { [query]: find });
    },
    ask: async (query) => [(await finders[query]?.()) ?? null],
    share: () => {},
    onShared: () => {},
  };
}
