import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProcess } from '../../../test/support/process.ts';

const watchdog = new URL('./watchdog.ts', import.meta.url).href;

function run(script: string) {
  const text = `import { startWatchdog } from '${watchdog}'; const { stop } = startWatchdog(console, 3); ${script}`;
  return runProcess(process.execPath, ['--input-type=module', '--eval', text], {});
}

test('a process whose event loop is blocked exits and logs the reason', { timeout: 60_000 }, async () => {
  const { child, exited, stdout } = run('setTimeout(() => { for (;;); }, 3_000);');
  const hang = setTimeout(() => child.kill('SIGTERM'), 50_000);
  const { signal } = await exited.finally(() => clearTimeout(hang));
  assert.equal(signal, 'SIGKILL');
  const { level, msg } = JSON.parse(stdout());
  assert.deepEqual([level, msg.slice(0, 43)], ['fatal', 'the event loop has been blocked for 3 s; th']);
});

test('a blocked process also exits if nobody reads its output', { timeout: 60_000 }, async () => {
  const { child, exited } = run('setTimeout(() => { for (;;); }, 3_000);');
  child.stdout.destroy();
  const hang = setTimeout(() => child.kill('SIGTERM'), 50_000);
  const { signal } = await exited.finally(() => clearTimeout(hang));
  assert.equal(signal, 'SIGKILL');
});

test('a busy process keeps running, and the watchdog does not keep an idle process from exiting', async () => {
  const busy =
    'for (let n = 0; n < 10; n++) { const end = Date.now() + 500; while (Date.now() < end); await new Promise(setImmediate); }';
  const { exited } = run(`${busy} console.log('done');`);
  assert.deepEqual(await exited, { code: 0, signal: null });
  const stopped = run(
    'stop(); setTimeout(() => { const end = Date.now() + 5_000; while (Date.now() < end); }, 100);',
  );
  assert.deepEqual(await stopped.exited, { code: 0, signal: null });
});
