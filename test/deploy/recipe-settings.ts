import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
// @ts-expect-error: the package has no types
import S3rver from '@20minutes/s3rver';
import { type Environment, temporaryFolder } from '../../server/test/support/process.ts';

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

/** An S3-compatible store with the bucket of the recipe. */
export async function startStore(): Promise<{ endpoint: string; close: () => Promise<void> }> {
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: await temporaryFolder(),
    configureBuckets: [{ name: 'lectern', configs: [] }],
  });
  const { port } = (await server.run()) as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
}
