import { Button, Group, Paper, Text } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The ticked rows of a list, kept while a page for them is open. */
    ticked?: unknown[];
  }
}

/** The ticked rows of a list. They stay ticked when the filters change, but not when the tenant changes. */
export function useSelection<T>(rowKey: (row: T) => string, nameOf: (row: T) => string) {
  const { tenant } = useApi();
  const navigate = useNavigate();
  const { ticked } = useLocation().state;
  const [held, hold] = useState<{ tenant: string | null; chosen: ReadonlyMap<string, T> }>(() => {
    const rows = (ticked ?? []) as T[];
    return { tenant, chosen: new Map(rows.map((row) => [rowKey(row), row])) };
  });
  const chosen: ReadonlyMap<string, T> = held.tenant === tenant ? held.chosen : new Map();
  return {
    selection: { chosen, change: (chosen: ReadonlyMap<string, T>) => hold({ tenant, chosen }), nameOf },
    rows: [...chosen.values()],
    clear: () => hold({ tenant, chosen: new Map() }),
    /** Keeps the rows ticked for when the user returns to the list. */
    keep: () =>
      navigate({
        to: '.',
        search: true,
        replace: true,
        resetScroll: false,
        state: { ticked: [...chosen.values()] },
      }),
  };
}

/** Says how many rows are ticked, and offers actions for them. */
export function SelectionBar({
  label,
  text,
  onClear,
  children,
}: {
  /** Names the region for screen readers. */
  label: string;
  /** The number of ticked rows; null if there are none. */
  text: string | null;
  onClear: () => void;
  children: ReactNode;
}) {
  const t = useTranslations('list');
  if (text === null) return null;
  return (
    <Paper withBorder className="chosen" role="region" aria-label={label}>
      <Text size="sm" fw={600} role="status">
        {text}
      </Text>
      <Group gap="xs">
        <Button variant="subtle" size="xs" onClick={onClear}>
          {t('clearChoice')}
        </Button>
        {children}
      </Group>
    </Paper>
  );
}
