import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tenantScopes } from '../../../server/src/infra/context/scopes.ts';
import german from '../../texts/de.pages.json' with { type: 'json' };
import english from '../../texts/en.pages.json' with { type: 'json' };
import french from '../../texts/fr.pages.json' with { type: 'json' };
import { scopesOfTenant } from './scopes.ts';

test('a full-access key created in the console has every tenant scope, and each scope has a text', () => {
  assert.deepEqual(scopesOfTenant, tenantScopes);
  for (const { apiKeys } of [english, german, french])
    assert.deepEqual(Object.keys(apiKeys.scopes), [...tenantScopes]);
});
