import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { type Column, Rows } from '../../parts/list.tsx';
import { UserLink } from '../users/person.tsx';
import { pageSize, useReason } from './rejected-rows.tsx';
import type { Warning } from './same-emails.ts';

function useColumns(): Column<Warning>[] {
  const t = useTranslations('bulk');
  const reason = useReason();
  return [
    {
      key: 'line',
      header: t('lineHeader'),
      cell: ({ line }) => <span className="refused-line">{t('line', { line: String(line) })}</span>,
    },
    {
      key: 'row',
      header: t('subjectOf.users'),
      cell: ({ loginId }) => <span className="break">{loginId}</span>,
    },
    {
      key: 'reason',
      header: t('reason'),
      cell: ({ code, value, other, otherLine }) => (
        <div>
          <Text size="sm" fw={600}>
            {reason(code)}
          </Text>
          <Text size="xs" c="dimmed" className="break">
            {code === 'same_email_user'
              ? t.rich('warnings.same_email_user', {
                  user: () => (
                    <UserLink loginId={other} isInText>
                      {other}
                    </UserLink>
                  ),
                })
              : code === 'damaged'
                ? t('warnings.damaged', { value: value ?? '' })
                : t('warnings.same_email_in_file', {
                    value: value ?? '',
                    other,
                    line: String(otherLine ?? 0),
                  })}
          </Text>
        </div>
      ),
    },
  ];
}

/** The rows of a plan that are imported, but may contain a mistake. */
export function WarnedRows({ warnings }: { warnings: readonly Warning[] }) {
  const t = useTranslations('bulk');
  const columns = useColumns();
  const [shown, setShown] = useState(pageSize);
  const title = t('warnings.title', { count: warnings.length });
  return (
    <Stack gap="md">
      <Stack gap={2}>
        <Title order={3} size="h4">
          {title}
        </Title>
        <Text size="sm" c="dimmed" maw={560}>
          {t('warnings.text', { count: warnings.length })}
        </Text>
      </Stack>
      <Rows
        label={title}
        columns={columns}
        rows={warnings.slice(0, shown)}
        rowKey={({ row }) => String(row)}
      />
      {warnings.length > shown && (
        <Center>
          <Button variant="default" onClick={() => setShown(shown + 5 * pageSize)}>
            {t('more', { shown, of: warnings.length })}
          </Button>
        </Center>
      )}
    </Stack>
  );
}
