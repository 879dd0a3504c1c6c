import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { Search } from '../url-state.ts';
import { focusFirst } from './focus-first.ts';

type LeaveGuardProps = {
  isOn: boolean;
  /** Describes the work that would be lost by leaving. */
  text: string;
};

/** Asks for confirmation before unfinished work is lost by changing the page or the tenant, or closing the tab. */
export function LeaveGuard({ isOn, text }: LeaveGuardProps) {
  const t = useTranslations('act');
  const leaving = useBlocker({
    disabled: !isOn,
    enableBeforeUnload: isOn,
    withResolver: true,
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname ||
      (current.search as Search).tenant !== (next.search as Search).tenant,
  });
  const isAsking = leaving.status === 'blocked';
  return (
    <Modal
      opened={isAsking}
      onClose={() => leaving.reset?.()}
      title={t('leaveTitle')}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack ref={focusFirst}>
        <Text>{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => leaving.proceed?.()}>
            {t('leave')}
          </Button>
          <Button onClick={() => leaving.reset?.()}>{t('stay')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
