import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Context } from '../../../infra/context/context.ts';
import { openRing } from '../../../infra/keys/key-ring.ts';
import { launchUrl, readLaunchKey } from './record.ts';

const keys = openRing([{ id: 'one', secret: randomBytes(32), createdAt: null }]);
/** The cast is safe: links need nothing else of a context. */
const ctx = {
  keys: { keys, hashKey: keys[0] },
  config: { baseUrl: 'https://l.example' },
} as unknown as Context;

const partsOf = (link: string) => {
  const { searchParams } = new URL(link);
  return [searchParams.get('enrolment') ?? '', searchParams.get('key') ?? ''] as const;
};
const handles = fc.record({ tenantId: fc.string({ unit: 'grapheme', minLength: 1 }), enrollId: fc.uuid() });

test('a link ends with a letter or digit, and is read back', () => {
  fc.assert(
    fc.property(handles, (handle) => {
      const link = launchUrl(ctx, handle);
      assert.match(link, /[\da-z]$/);
      const tenantId = handle.tenantId.toWellFormed();
      assert.deepEqual(readLaunchKey(ctx, ...partsOf(link)), { ...handle, tenantId });
    }),
  );
});

test('characters that mail programs add to a link are ignored', () => {
  const added = fc.stringMatching(/^[.),>\s"'\]}!?;:*]{0,4}$/u);
  fc.assert(
    fc.property(handles, added, added, (handle, one, two) => {
      const [id, key] = partsOf(launchUrl(ctx, handle));
      assert.ok(readLaunchKey(ctx, id + one, key + two));
      assert.ok(readLaunchKey(ctx, id.toUpperCase(), key + two));
    }),
  );
});

test('a lost final - or _ is found, and no other lost or changed character', () => {
  const lost = new Map<string, number>();
  for (let n = 0; n < 2_000; n++) {
    const [id, key] = partsOf(launchUrl(ctx, { tenantId: 'acme', enrollId: randomUUID() }));
    const last = key.at(-1) ?? '';
    assert.equal(readLaunchKey(ctx, id, key.slice(0, -1)) !== null, '-_'.includes(last), key);
    assert.equal(readLaunchKey(ctx, id, key.slice(0, -2)), null);
    assert.equal(readLaunchKey(ctx, id, `${key.slice(0, -1)}${last === 'A' ? 'B' : 'A'}`), null);
    lost.set(last, 1);
  }
  assert.ok(lost.has('-') && lost.has('_'));
});

test('no character of the key can be changed', () => {
  for (const tenantId of ['acme', 'acme1', 'acme12']) {
    const [id, key] = partsOf(launchUrl(ctx, { tenantId, enrollId: randomUUID() }));
    for (let at = 0; at < key.length; at++)
      for (const other of 'ABab01') {
        const changed = key.slice(0, at) + other + key.slice(at + 1);
        assert.equal(readLaunchKey(ctx, id, changed) !== null, changed === key, changed);
      }
  }
});

test('a foreign or shortened link is rejected, also a very long one', () => {
  const [id, key] = partsOf(launchUrl(ctx, { tenantId: 'acme', enrollId: randomUUID() }));
  for (const [sentId, sentKey] of [
    [`${id}0`, key],
    [id.slice(0, -1), key],
    [randomUUID(), key],
    [id, `${key}x`],
    [id, key.split('.')[0] ?? ''],
    [id, `${'.'.repeat(60_000)}x`],
    ['-'.repeat(60_000), key],
  ] as const)
    assert.equal(readLaunchKey(ctx, sentId, sentKey), null);
});
