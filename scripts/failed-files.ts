import type { TestEvent } from 'node:test/reporters';

/** A reporter: the file of each test that failed, a line each. */
export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source)
    if (type === 'test:fail' && data.file && data.todo === undefined) yield `${data.file}\n`;
}
