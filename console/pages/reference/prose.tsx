import { Code } from '@mantine/core';

/** Text from the API description, with `code` in backticks as in Markdown. */
export function Prose({ text }: { text: string | undefined }) {
  return text?.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change their order
    index % 2 === 1 ? <Code key={index}>{part}</Code> : part,
  );
}
