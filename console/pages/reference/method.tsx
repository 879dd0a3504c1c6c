import { Badge } from '@mantine/core';

const colors: Record<string, string> = { GET: 'blue', POST: 'green', PUT: 'orange', DELETE: 'red' };

export function Method({ method, isSmall }: { method: string; isSmall?: boolean }) {
  return (
    <Badge color={colors[method] ?? 'gray'} size={isSmall ? 'xs' : 'lg'} ff="monospace">
      {method}
    </Badge>
  );
}
