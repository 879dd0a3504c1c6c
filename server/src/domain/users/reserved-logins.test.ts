import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, newTenant } from '../../../test/support/tenant.ts';
import { routes } from '../../app/app.ts';
import { reservedLoginIDs } from './create-user.ts';

const service = await startService();
after(service.close);

const isOpen = (part: string | undefined) => part?.startsWith('{') ?? false;

/** Path segments that would be read as a LoginID. */
function ambiguousWords(): Set<string> {
  const words = new Set<string>();
  for (const route of routes)
    for (const other of routes) {
      const [parts, others] = [route.path.split('/'), other.path.split('/')];
      if (route.method !== other.method || parts.length !== others.length) continue;
      const both = parts.every((part, at) => part === others[at] || isOpen(part) || isOpen(others[at]));
      // The router decides at the first segment that differs. If that is a fixed word in our route, the LoginID does
      // not matter.
      const first = parts.findIndex((part, at) => part !== others[at]);
      if (both && parts[first] === '{LoginID}' && !isOpen(others[first])) words.add(others[first] ?? '');
    }
  return words;
}

/** GET /user/check/export reads the user `export`, so the export of a user called `check` has no URL. */
const unreachable = ['check'];

test('a word that is a fixed part of a path cannot be a LoginID', async () => {
  assert.deepEqual([...ambiguousWords()].sort(), [...unreachable, ...reservedLoginIDs].sort());
  const { api } = await newTenant(service);
  for (const LoginID of reservedLoginIDs)
    expectProblem(await api('POST', '/user', { LoginID }), 422, 'validation_failed', 'LoginID');
});
