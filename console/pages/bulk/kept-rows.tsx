import { Anchor, Button, Center, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { type Column, Rows } from '../../parts/list.tsx';
import { UserLink } from '../users/person.tsx';
import { pageSize, useReason } from './rejected-rows.tsx';
import type { KeptRow } from './use-undo.ts';

/** The enrolments that an undo does not withdraw, with the reasons and their counts. */
export function KeptRows({ rows, isPlan }: { rows: readonly KeptRow[]; isPlan: boolean }) {
  const t = useTranslations('bulk.undo');
  const bulk = useTranslations('bulk');
  const format = useFormatter();
  const reasonOf = useReason();
  const [shown, setShown] = useState(pageSize);
  const counts = new Map<string, number>();
  for (const { reason } of rows) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) =>
    bulk('reasonCount', { reason: reasonOf(reason), count }),
  );
  const columns: Column<KeptRow>[] = [
    {
      key: 'user',
      header: bulk('subjectOf.users'),
      cell: ({ loginId }) => <UserLink loginId={loginId}>{loginId}</UserLink>,
    },
    {
      key: 'what',
      header: t('stays'),
      cell: ({ loginId, enrollId }) => (
        <Anchor
          renderRoot={(props) => (
            <Link
              to="/console/enrolments/$loginId/$enrollId"
              params={{ loginId, enrollId }}
              search={{}}
              {...props}
            />
          )}
        >
          {bulk('subjectOf.enrolments')}
        </Anchor>
      ),
    },
    { key: 'reason', header: bulk('reason'), cell: ({ reason }) => reasonOf(reason) },
  ];
  const title = t(isPlan ? 'willStay' : 'stayed', { count: rows.length });
  return (
    <Stack gap="md">
      <Stack gap={2}>
        <Title order={3} size="h4">
          {title}
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          {format.list(reasons, { type: 'unit' })}
        </Text>
      </Stack>
      <Rows label={title} columns={columns} rows={rows.slice(0, shown)} rowKey={({ enrollId }) => enrollId} />
      {rows.length > shown && (
        <Center>
          <Button variant="default" onClick={() => setShown(shown + 5 * pageSize)}>
            {bulk('more', { shown, of: rows.length })}
          </Button>
        </Center>
      )}
    </Stack>
  );
}
