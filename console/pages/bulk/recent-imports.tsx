import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { expiryOf } from './created.ts';
import { UndoButton } from './undo-link.tsx';
import { useCreated } from './use-created.ts';

/** The enrolments that can still be undone, even after the page has been reloaded. */
export function RecentImports() {
  const t = useTranslations('bulk.undo');
  const format = useFormatter();
  const recent = useCreated();
  if (recent.length === 0) return null;
  return (
    <Paper withBorder p="md" className="bulk-part" component="section" aria-labelledby="recent" maw={640}>
      <Stack gap="md">
        <Stack gap={2}>
          <Title order={2} size="h4" id="recent">
            {t('recent')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('recentText')}
          </Text>
        </Stack>
        <ul className="recent" aria-labelledby="recent">
          {recent.map((created) => (
            <li key={created.id}>
              <Group justify="space-between" gap="sm">
                <div>
                  <Text size="sm" fw={600} className="break">
                    {created.name}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {t('created', { count: created.rows.length })}
                    {' · '}
                    {t('until', { time: format.dateTime(expiryOf(created), { timeStyle: 'short' }) })}
                  </Text>
                </div>
                <UndoButton
                  created={created}
                  text={t('button')}
                  label={t(created.isUndoing ? 'goOnOf' : 'buttonOf', { name: created.name })}
                />
              </Group>
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  );
}
