// Generates the load in its own process, which driver.ts starts. Exits when driver.ts exits.
import type { Dataset } from '../operation.ts';
import { operationNamed, requestOf } from '../operations.ts';
import { generateLoadByAutocannon } from './autocannon.ts';
import { type LearnersOrder, learners } from './learners.ts';
import { generateLoad, type Load } from './sockets.ts';

export type Order = {
  dataset: Dataset;
  operation: string;
  origins: string[];
  connections: number;
  seconds: number;
  rate: number | null;
  byAutocannon: boolean;
};

/** The next number for each operation. Numbers continue across all loads on the same data. */
const serials = new Map<string, number>();

function numbered(dataset: Dataset, name: string): () => number {
  const id = `${dataset.run} ${name}`;
  return () => {
    const serial = serials.get(id) ?? 0;
    serials.set(id, serial + 1);
    return serial;
  };
}

async function load(order: Order) {
  const { dataset, operation, byAutocannon, ...rest } = order;
  const named = operationNamed(operation);
  const serial = numbered(dataset, operation);
  const whole: Load = { ...rest, expected: named.expected, next: () => requestOf(named, dataset, serial()) };
  return byAutocannon ? generateLoadByAutocannon(whole) : generateLoad(whole);
}

process.on('disconnect', () => process.exit());
process.on('message', ({ id, order }: { id: number; order: Order | LearnersOrder }) => {
  const done = 'learners' in order ? learners(order) : load(order);
  done.then(
    (figure) => process.send?.({ id, figure }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
