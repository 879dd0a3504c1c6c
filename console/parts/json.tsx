import { Code } from '@mantine/core';

/** Data as they are, for those who program against them. It scrolls by keyboard, too. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <Code block className="sample" tabIndex={0} role="group" aria-label={label}>
      {text}
    </Code>
  );
}
