import type { TestEvent } from 'node:test/reporters';

/** A reporter: the file of each test that failed, a line each. A file is a suite that has its path as its name. */
export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source)
    if (type === 'test:fail' && data.nesting === 0 && data.todo === undefined) yield `${data.name}\n`;
}
