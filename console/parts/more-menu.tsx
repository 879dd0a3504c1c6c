import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDotsVertical } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Props = {
  label: string;
  /** For rows of a list: only the icon, and the label for screen readers. */
  isCompact?: boolean;
  children: ReactNode;
};

/** Rarely used actions of a record, behind one button. */
export function MoreMenu({ label, isCompact = false, children }: Props) {
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        {isCompact ? (
          <ActionIcon variant="subtle" color="gray" aria-label={label}>
            <IconDotsVertical size={16} aria-hidden />
          </ActionIcon>
        ) : (
          <Button variant="default" rightSection={<IconDotsVertical size={16} aria-hidden />}>
            {label}
          </Button>
        )}
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
