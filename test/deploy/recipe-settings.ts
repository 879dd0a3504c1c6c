import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../server/test/support/process.ts';

export const recipe = (name: string) => readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8');

/** The settings that a compose file gives the service. `values` has the variables of .env, and this machine's addresses. */
export function composeSettings(file: string, values: Record<string, string>): Environment {
  const [, indent = '', block = ''] =
    /^( +)environment:\n((?:\1 {2}(?:\w+: |#).*\n)+)/m.exec(recipe(file)) ?? [];
  const lines = [...block.matchAll(new RegExp(`^${indent}  (\\w+): (.*)$`, 'gm'))];
  assert.ok(lines.length >= 8, `${file} has no settings of the service`);
  return Object.fromEntries(
    lines.map(([, name = '', text = '']) => {
      const value = text.replace(/^'|'$/g, '').replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, key) => {
        assert.ok(values[key], `the test does not set ${key}`);
        return values[key] ?? '';
      });
      return [name, values[name] ?? value];
    }),
  );
}
