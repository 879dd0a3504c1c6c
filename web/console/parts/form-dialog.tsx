import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useAct } from './act.tsx';
import { FailedAct } from './states.tsx';

type FormDialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  submit: string;
  /** Resolves when it is done; what it throws is shown in the dialog, and nothing that was typed is lost. */
  onSubmit: () => Promise<unknown>;
  children: ReactNode;
  size?: ModalProps['size'];
};

/** A form in a dialog. The service validates; its answer is shown as it is. */
export function FormDialog({ title, isOpen, onClose, submit, onSubmit, children, size }: FormDialogProps) {
  const t = useTranslations('act');
  const doing = useAct(onSubmit);
  const close = () => {
    doing.reset();
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': t('close') }}
      {...(size ? { size } : {})}
    >
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          if (await doing.run()) close();
        }}
      >
        <Stack>
          {children}
          <FailedAct error={doing.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={doing.isRunning}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
