import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Copyable } from './values.tsx';

type SecretDialogProps = {
  title: string;
  /** What the user must know before closing the dialog. */
  text: string;
  label: string;
  /** Null if the dialog is closed. */
  secret: string | null;
  kept: string;
  onClose: () => void;
  children?: ReactNode;
};

/** The secret is shown only once. Only the button closes the dialog, so that it is not lost by accident. */
export function SecretDialog({ title, text, label, secret, kept, onClose, children }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {secret !== null && (
        <Stack>
          <Alert color="orange" variant="light">
            {text}
          </Alert>
          <Stack gap={4}>
            <Text size="sm" fw={600}>
              {label}
            </Text>
            <Copyable value={secret} label={label} />
          </Stack>
          {children}
          <Group justify="flex-end">
            <Button onClick={onClose}>{kept}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
