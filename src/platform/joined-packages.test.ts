import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { joinPackages } from '../../scripts/join-packages.ts';
import { joinedAddresses, joinedFiles } from './joined-packages.ts';

/** Where a process of ours finds the package, and what it exports there. */
function found(name: string, ...flags: string[]): [string, string[]] {
  const tell = `const all = Object.keys(await import('${name}')).sort();
    console.log(JSON.stringify([import.meta.resolve('${name}'), all]));`;
  return JSON.parse(
    execFileSync(process.execPath, [...flags, '--input-type=module', '-e', tell], { encoding: 'utf8' }),
  );
}

test('a package that was joined is what our sources get, and exports what it exported before', async () => {
  await joinPackages();
  const addresses = joinedAddresses();
  assert.deepEqual([...addresses.keys()], [...joinedFiles().keys()]);
  const preload = new URL('../preload.ts', import.meta.url).href;
  for (const [name, address] of addresses) {
    const [, before] = found(name);
    assert.deepEqual(found(name, '--disable-warning=ExperimentalWarning', '--import', preload), [
      address,
      before,
    ]);
  }
});
