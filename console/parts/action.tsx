import { Button, type ButtonProps, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { focusFirst } from './focus-first.ts';
import { FailedAction } from './states.tsx';

/** Runs a button's action, and shows its progress and failure. */
export function useAction<Input extends unknown[]>(act: (...input: Input) => Promise<unknown>) {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (...input: Input): Promise<boolean> => {
    setRunning(true);
    setError(null);
    try {
      await act(...input);
      return true;
    } catch (thrown) {
      setError(thrown);
      return false;
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning, error, reset: () => setError(null) };
}

type ConfirmProps = {
  /** The button that opens the confirmation. */
  text: string;
  title: string;
  question: ReactNode;
  /** The label of the dialog's button: the action itself, never "OK". */
  confirm: string;
  isDangerous?: boolean;
  /** The label of a box that must be ticked first. It states the consequence. */
  acknowledge?: string | undefined;
  /** False while the dialog is still finding out what the action would do. */
  isReady?: boolean;
  onOpen?: () => void;
  act: () => Promise<unknown>;
  button?: ButtonProps & { 'aria-label'?: string };
};

/** Before an action that is hard to undo, explains its effect and asks for confirmation. */
export function ConfirmButton({
  text,
  title,
  question,
  confirm,
  isDangerous,
  acknowledge,
  isReady = true,
  onOpen,
  act,
  button,
}: ConfirmProps) {
  const t = useTranslations('act');
  const [isOpen, setOpen] = useState(false);
  const [isAcknowledged, setAcknowledged] = useState(false);
  const doing = useAction(act);
  const open = () => {
    setOpen(true);
    onOpen?.();
  };
  const close = () => {
    setOpen(false);
    setAcknowledged(false);
    doing.reset();
  };
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {text}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
        <Stack ref={focusFirst}>
          <Text component="div">{question}</Text>
          {acknowledge !== undefined && (
            <Checkbox
              label={acknowledge}
              checked={isAcknowledged}
              onChange={(event) => setAcknowledged(event.currentTarget.checked)}
            />
          )}
          <FailedAction error={doing.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button
              {...(isDangerous ? { color: 'red.8' } : {})}
              loading={doing.isRunning}
              disabled={!isReady || (acknowledge !== undefined && !isAcknowledged)}
              onClick={async () => {
                if (await doing.run()) close();
              }}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
