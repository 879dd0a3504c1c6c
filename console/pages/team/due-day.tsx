import { Text } from '@mantine/core';
import { Instant } from '../../parts/values.tsx';

/** A due date, red once it has passed. */
export function DueDay({ at, isLate }: { at: string | null; isLate: boolean }) {
  return (
    <Text component="span" size="sm" {...(isLate && { c: 'var(--mantine-color-error)' })}>
      <Instant at={at} isDay />
    </Text>
  );
}
