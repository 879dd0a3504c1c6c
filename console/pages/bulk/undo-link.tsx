import { Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { type Created, expiryOf } from './created.ts';
import { useCreated } from './use-created.ts';
import type { Run } from './use-run.ts';

type ButtonProps = { created: Created; text: string; label?: string };

export function UndoButton({ created: { id, isUndoing }, text, label }: ButtonProps) {
  const t = useTranslations('bulk.undo');
  return (
    <Button
      variant="default"
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      aria-label={label}
      renderRoot={(props) => (
        <Link to="." search={(before: object) => ({ ...before, undo: id }) as never} {...props} />
      )}
    >
      {isUndoing ? t('goOn') : text}
    </Button>
  );
}

/** For an hour, offers to undo enrolments below their result. */
export function UndoLink({ run: { importId, isKept } }: { run: Run }) {
  const t = useTranslations('bulk.undo');
  const group = useTranslations('bulk.group');
  const format = useFormatter();
  const created = useCreated().find(({ id }) => id === importId);
  if (!isKept)
    return (
      <Text size="sm" c="dimmed" maw={640}>
        {t('tooLarge')}
      </Text>
    );
  if (!created) return null;
  return (
    <Group gap="sm">
      <UndoButton created={created} text={group('undoButton')} />
      <Text size="sm" c="dimmed">
        {t('until', { time: format.dateTime(expiryOf(created), { timeStyle: 'short' }) })}
      </Text>
    </Group>
  );
}
