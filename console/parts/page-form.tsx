import { Button, Group, type MantineSpacing, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useAction } from './action.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { FailedAction } from './states.tsx';
import { notify } from './toast.tsx';

type Props = {
  /** `leaveText` is the question if somebody leaves the page with changes. */
  texts: (name: 'save' | 'undo' | 'notAllowed' | 'saved' | 'leaveText') => string;
  /** False if the user may only read; the form then says so. */
  isAllowed: boolean;
  isChanged: boolean;
  /** What is wrong or missing; the button is disabled and says so. */
  missing?: string | false;
  save: () => Promise<unknown>;
  onUndo: () => void;
  /** The error of the form's other actions. */
  error?: unknown;
  /** Further buttons. */
  actions?: ReactNode;
  /** What is beside the fields, such as a preview. */
  aside?: ReactNode;
  className?: string;
  gap?: MantineSpacing;
  children: ReactNode;
};

/** A form on a page, which is saved as a whole. */
export function PageForm(props: Props) {
  const { texts, isAllowed, isChanged, missing = false, save, onUndo, error, actions, aside } = props;
  const t = useTranslations('act');
  const queries = useQueryClient();
  const saving = useAction(async () => {
    await save();
    await queries.invalidateQueries();
    notify(texts('saved'));
  });
  const undo = () => {
    onUndo();
    saving.reset();
  };
  const reason = missing ? t('missing', { what: missing }) : isChanged ? null : t('unchanged');
  return (
    <form
      {...(props.className && { className: props.className })}
      onSubmit={(event) => {
        event.preventDefault();
        void saving.run();
      }}
    >
      <Stack gap={props.gap ?? 'md'}>
        {props.children}
        <FailedAction error={saving.error ?? error} />
        <Group>
          {isAllowed ? (
            <>
              <Button type="submit" loading={saving.isRunning} disabled={reason !== null}>
                {texts('save')}
              </Button>
              {isChanged && (
                <Button variant="default" onClick={undo}>
                  {texts('undo')}
                </Button>
              )}
            </>
          ) : (
            <Text size="sm" c="dimmed">
              {texts('notAllowed')}
            </Text>
          )}
          {actions}
          {isAllowed && reason && (
            <Text size="sm" c="dimmed">
              {reason}
            </Text>
          )}
        </Group>
      </Stack>
      {aside}
      <LeaveGuard isOn={isChanged && !saving.isRunning} text={texts('leaveText')} />
    </form>
  );
}
