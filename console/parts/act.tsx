import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { FailedAct } from './states.tsx';

/** Tells that something was done; what failed is told beside its button instead. */
export function told(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 4000 });
}

/** Runs what a button does: whether it runs, and how it failed. */
export function useAct<Input extends unknown[]>(act: (...input: Input) => Promise<unknown>) {
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
  /** The button that asks. */
  text: string;
  title: string;
  question: ReactNode;
  /** What the button of the dialog says: the deed itself, never "OK". */
  confirm: string;
  isDangerous?: boolean;
  act: () => Promise<unknown>;
  button?: ButtonProps;
};

/** A deed that is hard to take back asks first, and says what will be. */
export function ConfirmButton({ text, title, question, confirm, isDangerous, act, button }: ConfirmProps) {
  const t = useTranslations('act');
  const [isOpen, setOpen] = useState(false);
  const doing = useAct(act);
  const close = () => {
    setOpen(false);
    doing.reset();
  };
  return (
    <>
      <Button variant="default" {...button} onClick={() => setOpen(true)}>
        {text}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
        <Stack>
          <Text component="div">{question}</Text>
          <FailedAct error={doing.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button
              {...(isDangerous ? { color: 'red' } : {})}
              loading={doing.isRunning}
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
