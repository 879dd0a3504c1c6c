import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addReported,
  networkOf,
  openBudgets,
  refund,
  reserve,
  secondsToWait,
  spend,
  takeUnreported,
} from './budgets.ts';

const at = (seconds: number) => new Date(1_900_000_000_000 + seconds * 1000);

test('each caller has its own limit per minute, and the response says how long to wait', () => {
  const budgets = openBudgets({ perMinute: 3 });
  for (const _ of [1, 2, 3]) assert.equal(spend(budgets, 'a', at(0)), 0);
  assert.equal(spend(budgets, 'a', at(20)), 40);
  assert.equal(secondsToWait(budgets, 'a', at(20)), 40);
  assert.equal(spend(budgets, 'b', at(20)), 0);
  assert.equal(spend(budgets, 'a', at(60)), 0);
});

test('setting the clock back does not block any caller', () => {
  const budgets = openBudgets({ perMinute: 1 });
  spend(budgets, 'a', at(3600));
  assert.equal(spend(budgets, 'a', at(0)), 0);
});

test('0 means no limit', () => {
  const budgets = openBudgets({});
  for (let call = 0; call < 1_000; call++) assert.equal(spend(budgets, 'a', at(0)), 0);
  for (let call = 0; call < 1_000; call++) assert.ok(reserve(budgets, 'a'));
});

test('slots are released, including those of a caller that has been removed in the meantime', () => {
  const budgets = openBudgets({ concurrent: 2 });
  const first = reserve(budgets, 'a');
  assert.ok(first && reserve(budgets, 'a'));
  assert.equal(reserve(budgets, 'a'), null);
  first();
  assert.ok(reserve(budgets, 'a'));
  for (let caller = 0; caller < 30_000; caller++) reserve(budgets, `caller ${caller}`);
  assert.ok(budgets.used.size <= 20_000);
});

test('an IPv6 subscriber counts as one caller, whatever the last 64 bits are', () => {
  const same = [
    '2001:db8:1:2::1',
    '2001:db8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002::',
    '2001:DB8:1:2:0:0:0:9',
  ];
  assert.equal(new Set(same.map(networkOf)).size, 1);
  assert.notEqual(networkOf('2001:db8:1:3::1'), networkOf('2001:db8:1:2::1'));
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
});

test("a caller's use is reported to other processes once it is significant, and counts there too", () => {
  const here = { ...openBudgets({ perMinute: 32 }), unshared: new Set<string>() };
  const there = openBudgets({ perMinute: 32 });
  const now = new Date(0);
  for (let call = 0; call < 2; call++) spend(here, 'few', now);
  for (let call = 0; call < 20; call++) spend(here, 'many', now);
  refund(here, 'many');
  const spent = takeUnreported(here);
  assert.deepEqual(spent, [['many', 19]], 'a sixteenth of the budget is not reported');
  assert.deepEqual(takeUnreported(here), [], 'nothing is reported twice');
  addReported(there, spent, now);
  const accepted = Array.from({ length: 20 }, () => spend(there, 'many', now)).filter((wait) => wait === 0);
  assert.equal(accepted.length, 13);
  spend(here, 'few', now);
  assert.deepEqual(takeUnreported(here), [['few', 3]], 'beyond a sixteenth, all of it is reported');
});
