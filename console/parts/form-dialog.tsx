import { Alert, Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useAction } from './action.tsx';
import { focusFirst } from './focus-first.ts';
import { FailedAction } from './states.tsx';

type FormDialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  submit: string;
  /** Resolves when the form has been submitted. Errors are shown in the dialog, and no input is lost. */
  onSubmit: () => Promise<unknown>;
  children: ReactNode;
  /** Shows what is wrong, and returns false to keep the dialog open. */
  isReady?: () => boolean;
  /** Set if there is input; closing the dialog then asks whether to discard it. */
  isDirty?: boolean;
  isDangerous?: boolean;
  /** The labels of required values; those that are not missing are false. The button is disabled and says why. */
  missing?: readonly (string | false)[];
  /** Set if the form itself says why it cannot be submitted. */
  isBlocked?: boolean;
  size?: ModalProps['size'];
};

/** A form in a dialog. The service validates the input, and its errors are shown unchanged. */
export function FormDialog(props: FormDialogProps) {
  const { title, isOpen, onClose, submit, onSubmit, children, isDirty = false, size } = props;
  const { isDangerous = false, isBlocked = false, missing = [], isReady = () => true } = props;
  const lacking = missing.filter((label) => label !== false);
  const t = useTranslations('act');
  const doing = useAction(onSubmit);
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    doing.reset();
    setAsking(false);
    onClose();
  };
  const leave = () => (isDirty ? setAsking(true) : close());
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title={title}
      closeButtonProps={{ 'aria-label': t('close') }}
      {...(size ? { size } : {})}
    >
      <form
        ref={focusFirst}
        onSubmit={async (event) => {
          event.preventDefault();
          if (isReady() && (await doing.run())) close();
        }}
      >
        <Stack>
          {children}
          <FailedAction error={doing.error} />
          {isAsking ? (
            <Alert color="orange" role="alert" title={t('discardTitle')}>
              <Group justify="flex-end">
                <Button variant="default" onClick={close}>
                  {t('discard')}
                </Button>
                <Button onClick={() => setAsking(false)}>{t('keep')}</Button>
              </Group>
            </Alert>
          ) : (
            <Group justify="flex-end">
              {lacking.length > 0 && (
                <Text size="sm" c="dimmed" flex={1}>
                  {t('missing', { what: lacking.join(', ') })}
                </Text>
              )}
              <Button variant="default" onClick={leave}>
                {t('cancel')}
              </Button>
              <Button
                type="submit"
                {...(isDangerous ? { color: 'red.8' } : {})}
                disabled={isBlocked || lacking.length > 0}
                loading={doing.isRunning}
              >
                {submit}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Modal>
  );
}
