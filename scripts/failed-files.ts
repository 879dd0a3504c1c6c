import type { TestEvent } from 'node:test/reporters';

/** A reporter that prints the file of each failed test, one per line. Suites are named after their files. */
export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source)
    if (type === 'test:fail' && data.nesting === 0 && data.todo === undefined) yield `${data.name}\n`;
}
