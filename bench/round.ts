import type { HttpLimit, LimitSource } from './limit.ts';
import type { Driver } from './load/driver.ts';
import type { Figure } from './load/sockets.ts';
import type { Operation } from './operation.ts';
import { type Node, processesOf, type Target } from './service.ts';
import { cpuOf, memoryOf, serversCpu } from './usage.ts';

/** If `open`, requests are sent at half the rate of the closed loop, without waiting for responses. */
export type Shape = { nodes: number; connections: number; open: boolean };

export type Measured = {
  target: string;
  operation: string;
  rows: number;
  shape: Shape;
  figure: Figure;
  /** Microseconds of CPU time per row. */
  serviceCpu: number;
  serverCpu: number | null;
  memory: number;
  /**
   * Rows per second for the database alone, or requests per second for HTTP alone, measured immediately
   * before the round.
   */
  limit: number;
  /** For operations that write a row per request: rows per second of the simplest form of an enrolment. */
  plainLimit: number | null;
};

type RoundOptions = {
  target: Target;
  limit: LimitSource;
  http: HttpLimit;
  driver: Driver;
  shapes: Shape[];
  operations: Operation[];
  seconds: number;
  byAutocannon: boolean;
};

/** Measures one round: the limits, then each operation in each shape. */
export async function measureRound(options: RoundOptions): Promise<Measured[]> {
  const { target, driver, shapes, operations, seconds, byAutocannon } = options;
  const isCompared = (...others: Operation['limit'][]) =>
    operations.some(({ limit }) => others.includes(limit));
  const database = isCompared('one', 'fifty')
    ? await options.limit.measure(seconds)
    : { one: 0, fifty: 0, plain: 0 };
  const limits = { ...database, http: isCompared('http') ? await options.http.measure(seconds) : 0 };
  const all: Measured[] = [];
  for (const operation of operations) {
    let perSecond = 0;
    for (const shape of shapes) {
      const nodes = target.nodes.slice(0, shape.nodes);
      const pids = nodes.flatMap(processesOf);
      const order = {
        dataset: target.dataset,
        operation: operation.name,
        origins: target.origins[operation.origin].slice(0, shape.nodes),
        connections: Math.min(shape.connections, operation.maxConnections ?? shape.connections),
        rate: shape.open ? perSecond / 2 : null,
        byAutocannon: byAutocannon && !shape.open,
      };
      await driver.load({ ...order, seconds: Math.min(0.5, seconds / 4) });
      const before = cpuNow(target, pids);
      const figure = await driver.load({ ...order, seconds });
      const after = cpuNow(target, pids);
      if (!shape.open) perSecond = figure.perSecond;
      const microseconds = 1_000_000 / (figure.answered * operation.rows);
      all.push({
        target: target.name,
        operation: operation.name,
        rows: operation.rows,
        shape,
        figure: { ...figure, perSecond: figure.perSecond * operation.rows },
        serviceCpu: (after.service - before.service) * microseconds,
        serverCpu: after.server === null ? null : (after.server - (before.server ?? 0)) * microseconds,
        memory: Math.max(...nodes.map(memoryOfNode)),
        limit: limits[operation.limit],
        plainLimit: operation.limit === 'one' ? limits.plain : null,
      });
    }
  }
  return all;
}

const memoryOfNode = (node: Node) => processesOf(node).reduce((sum, pid) => sum + memoryOf(pid), 0);

function cpuNow(target: Target, pids: number[]) {
  return {
    service: pids.reduce((sum, pid) => sum + cpuOf(pid), 0),
    server: target.database ? serversCpu(target.database.folders) : null,
  };
}
