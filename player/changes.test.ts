import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sortedData, withChanges } from '../standards/changed-data.ts';
import type { RunTimeData } from '../standards/types.ts';
import { afterCommit, afterReceipt, type Changes, changesIn } from './changes.ts';
import type { Commit } from './contract.ts';

/** Long values, so that it is always worthwhile to send only changes. */
const long = (value: string) => value.padEnd(1_000, '.');

type Stored = { launch: number; number: number; data: RunTimeData };

/** A service that stores data as ours does. Throws if it would store anything but what the page had. */
class Service {
  stored: Stored | null = null;
  launches = 0;
  commits = 0;
  received = 0;
  readonly snapshots = new Map<string, RunTimeData>();

  /** Returns false if it needs all data. */
  receive(launch: number, sent: Commit): boolean {
    const { Number: number, Base, Data } = sent;
    const before = this.stored?.launch === launch ? this.stored : null;
    const base = Base && { number: Base.Number, removed: Base.Removed ?? [] };
    const data = base ? before && withChanges(before, { number, base, data: Data }) : Data;
    if (!data) return false;
    if (base) this.received++;
    assert.deepEqual(data, this.snapshots.get(`${launch} ${number}`));
    this.commits = Math.max(this.commits, number);
    const isNewer = !this.stored || launch > this.stored.launch || (before && number > before.number);
    if (isNewer) this.stored = { launch, number, data };
    return true;
  }
}

/** A page that plays one unit in one tab. */
class Page {
  readonly service: Service;
  readonly launch: number;
  data: RunTimeData;
  changes: Changes | undefined;
  next: number;
  commits: Commit[] = [];

  constructor(service: Service) {
    this.service = service;
    this.launch = ++service.launches;
    this.next = service.commits + 1;
    this.data = service.stored?.data ?? { 'cmi.suspend_data': long('') };
  }

  commit(): void {
    const Data = sortedData(this.data);
    this.service.snapshots.set(`${this.launch} ${this.next}`, Data);
    this.changes = afterCommit(this.changes, this.next, Data);
    this.commits.push({ Number: this.next++, UnitID: 'a', Data });
  }

  /** What the page sends now for one of its commits. */
  body(at: number): Commit | undefined {
    const commit = this.commits.at(-1 - (at % this.commits.length));
    return commit && changesIn(commit, this.changes);
  }

  answered(number: number, isStored: boolean): void {
    if (!isStored) this.changes = undefined;
    else if (this.changes) this.changes = afterReceipt(this.changes, number);
  }
}

const at = fc.nat(20);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('set'), tab: at, name: fc.nat(5), value: at }) },
  fc.record({ kind: fc.constant('remove'), tab: at, name: fc.nat(5), value: at }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('commit'), tab: at, name: at, value: at }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('send'), tab: at, name: fc.nat(2), value: at }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('receive'), tab: at, name: at, value: at }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer'), tab: at, name: at, value: at }) },
  fc.record({ kind: fc.constantFrom('open', 'set'), tab: at, name: at, value: at }),
);

test('whatever is lost, repeated or overtaken, the service stores what the page had at each commit', () => {
  let received = 0;
  const run = (steps: { kind: string; tab: number; name: number; value: number }[]) => {
    const service = new Service();
    const pages = [new Page(service)];
    const sent: { page: Page; body: Commit }[] = [];
    const answers: { page: Page; number: number; isStored: boolean }[] = [];
    for (const { kind, tab, name, value } of steps) {
      const page = pages[tab % pages.length] as Page;
      const element = `cmi.interactions.${name}.id`;
      if (kind === 'set') page.data = { ...page.data, [element]: long(String(value)) };
      if (kind === 'remove') {
        const { [element]: _, ...rest } = page.data;
        page.data = rest;
      }
      if (kind === 'commit') page.commit();
      const body = kind === 'send' ? page.body(name) : undefined;
      if (body) sent.push({ page, body });
      const arriving = kind === 'receive' ? sent.splice(name % Math.max(1, sent.length), 1)[0] : undefined;
      if (arriving) {
        const { body } = arriving;
        const isStored = service.receive(arriving.page.launch, body);
        // Some answers are lost, and some requests arrive twice.
        if (value % 3 > 0) answers.push({ page: arriving.page, number: body.Number, isStored });
        if (value % 5 === 0) sent.push(arriving);
      }
      const answer = kind === 'answer' ? answers.splice(name % Math.max(1, answers.length), 1)[0] : undefined;
      answer?.page.answered(answer.number, answer.isStored);
      if (kind === 'open') pages.push(new Page(service));
    }
    const last = pages.at(-1) as Page;
    last.commit();
    if (!service.receive(last.launch, last.body(0) as Commit)) {
      last.changes = undefined;
      service.receive(last.launch, last.body(0) as Commit);
    }
    assert.deepEqual(service.stored?.data, sortedData(last.data));
    received += service.received;
  };
  fc.assert(fc.property(fc.array(step, { minLength: 30, maxLength: 80, size: 'max' }), run), {
    numRuns: 1_000,
  });
  assert.ok(received > 1_000, `only ${received} commits had only changes`);
});

test('a commit without a confirmed base, an older commit and a small saving are sent whole', () => {
  const commit = (number: number, Data: RunTimeData): Commit => ({ Number: number, UnitID: 'a', Data });
  const [a, b] = [{ 'cmi.suspend_data': long('a') }, { 'cmi.suspend_data': long('a'), 'cmi.location': '2' }];
  const unconfirmed = afterCommit(afterCommit(undefined, 1, a), 2, b);
  const known = afterReceipt(unconfirmed, 1);
  for (const changes of [undefined, unconfirmed, afterReceipt(unconfirmed, 0), afterReceipt(known, 2)])
    assert.deepEqual(changesIn(commit(2, b), changes), commit(2, b));
  assert.deepEqual(changesIn(commit(1, a), known), commit(1, a));
  assert.deepEqual(changesIn(commit(2, b), known), {
    ...commit(2, { 'cmi.location': '2' }),
    Base: { Number: 1 },
  });
  const removed = afterCommit(known, 3, a);
  assert.deepEqual(changesIn(commit(3, a), removed), {
    ...commit(3, {}),
    Base: { Number: 1, Removed: ['cmi.location'] },
  });
  const small = afterReceipt(afterCommit(undefined, 1, { 'cmi.location': '1' }), 1);
  const next = { 'cmi.location': '1', 'cmi.exit': 'suspend' };
  assert.deepEqual(changesIn(commit(2, next), afterCommit(small, 2, next)), commit(2, next));
});
