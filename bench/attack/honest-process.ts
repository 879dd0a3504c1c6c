// An honest client in its own process, which calls at a steady rate and reports the response times.
import { Agent } from 'node:http';
import type { Order, Probe, Report } from './honest.ts';
import { honestAddress, sendRequest } from './send-request.ts';

const callMilliseconds = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
let probes: Probe[] = [];
let timer: NodeJS.Timeout | null = null;
let waits: { name: string; milliseconds: number }[] = [];
let wrong: string[] = [];
let pending: Promise<void>[] = [];
let callNumber = 0;

async function call({ name, address, key, expected }: Probe): Promise<void> {
  const reply = await sendRequest(address, { agent, localAddress: honestAddress, ...(key ? { key } : {}) });
  waits.push({ name, milliseconds: reply.milliseconds });
  if (reply.status !== expected) wrong.push(`${name}: ${reply.status || 'no answer'}`);
}

function begin(): void {
  waits = [];
  wrong = [];
  pending = [];
  timer = setInterval(() => {
    const probe = probes[callNumber++ % probes.length];
    if (probe) pending.push(call(probe));
  }, callMilliseconds);
}

async function finish(): Promise<void> {
  if (timer) clearInterval(timer);
  await Promise.all(pending);
  process.send?.({ waits, wrong } satisfies Report);
}

process.on('message', (order: Order) => {
  if (order.kind === 'probes') probes = order.probes;
  else if (order.kind === 'begin') begin();
  else void finish();
});
process.on('disconnect', () => process.exit(0));
