import './sample.css';
import { Code } from '@mantine/core';

/** Raw data for developers, scrollable by keyboard. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <Code block className="sample" tabIndex={0} role="group" aria-label={label}>
      {text}
    </Code>
  );
}
