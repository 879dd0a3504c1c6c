import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { type Block, blocksOf, difference, isShown, readShown } from './guide-examples.ts';
import type { GuideShell, Ran } from './guide-shell.ts';

const root = join(import.meta.dirname, '..');

function checkResponse(shown: Block, ran: Ran, where: string): void {
  const answer = ran.stdout.replaceAll('\r', '').trim();
  if (shown.language !== 'jsonc') {
    const lines = shown.text.trim();
    assert.ok(isShown(lines, answer), `${where} shows\n${lines}\nbut the response is\n${answer}`);
    return;
  }
  const { status, body } = readShown(shown.text);
  assert.equal(ran.statuses.at(-1), status, `${where}: ${answer}`);
  if (body !== undefined)
    assert.equal(difference(body, JSON.parse(answer.split('\n').at(-1) ?? '')), null, `${where}: ${answer}`);
}

const responses = ['jsonc', 'http', 'csv', 'ndjson'];
/** Languages of the blocks that are run, saved or compared, and of the blocks that are only shown. */
export const shownLanguages = [
  ...[...responses, 'sh', 'ts', 'bash', 'json', 'text', 'ini', 'sql', 'html'],
  // test/webhook-samples.slow.test.ts runs these.
  ...['python', 'php', 'csharp', 'go', 'java'],
];

/**
 * Runs a page's commands in order, and compares each response with the response that the page shows. `local` replaces
 * what differs on this machine, such as URLs, and `own` what differs in files to save. Returns the number of commands.
 */
export async function runPage(
  file: string,
  shell: GuideShell,
  { local, own = (text) => text }: { local: (text: string) => string; own?: (text: string) => string },
): Promise<number> {
  const blocks = blocksOf(file).map((block) => ({ ...block, text: local(block.text) }));
  let commands = 0;
  for (const [index, { language, text, line }] of blocks.entries()) {
    const where = `${relative(root, file)}:${line}`;
    if (language === 'ts') {
      const [, name = ''] = /^\/\/ (\w+\.ts)$/m.exec(text) ?? [];
      assert.ok(name, `${where} does not name the file to save it in`);
      shell.save(name, own(text));
    }
    if (language !== 'sh') continue;
    const ran = await shell.run(text);
    commands += 1;
    assert.equal(ran.code, 0, `${where}: ${ran.stderr}`);
    const shown = blocks[index + 1];
    if (shown && responses.includes(shown.language))
      checkResponse(shown, ran, `${relative(root, file)}:${shown.line}`);
    else for (const status of ran.statuses) assert.ok(status < 400, `${where}: ${status} ${ran.stdout}`);
  }
  return commands;
}

/** Replaces the URL of the service and the port of the webhook receiver in the documents. */
export const localize = (baseUrl: string, port: number) => (text: string) =>
  text.replaceAll('http://127.0.0.1:3000', baseUrl).replaceAll(/\b4000\b/g, `${port}`);
