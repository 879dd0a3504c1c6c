import { Menu } from '@mantine/core';
import { IconAdjustments, IconPencil, IconRestore } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { AccessDialog } from './access-dialog.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { OverrideDialog } from './override-dialog.tsx';
import { ResetDialog } from './reset-dialog.tsx';
import type { Enrolment } from './values.tsx';

export type Dialog = 'access' | 'reset' | 'override' | 'details' | null;

type MenuProps = { onChoose: (dialog: Dialog) => void };

export function EnrolmentMenu({ onChoose }: MenuProps) {
  const t = useTranslations('enrolments');
  const items: { dialog: NonNullable<Dialog>; text: string; icon: typeof IconPencil }[] = [
    { dialog: 'reset', text: t('attempts.reset'), icon: IconRestore },
    { dialog: 'override', text: t('override.button'), icon: IconAdjustments },
    { dialog: 'details', text: t('details.edit'), icon: IconPencil },
  ];
  return (
    <MoreMenu label={t('more')}>
      {items.map(({ dialog, text, icon: Icon }) => (
        <Menu.Item key={dialog} leftSection={<Icon size={16} aria-hidden />} onClick={() => onChoose(dialog)}>
          {text}
        </Menu.Item>
      ))}
    </MoreMenu>
  );
}

type DialogsProps = { enrolment: Enrolment; name: string; dialog: Dialog; onClose: () => void };

export function Dialogs({ enrolment, name, dialog, onClose }: DialogsProps) {
  const t = useTranslations('enrolments');
  const shown = { enrolment, onClose };
  return (
    <>
      {dialog === 'access' && (
        <AccessDialog
          title={t('access.titleOf', { name })}
          read={async () => [enrolment]}
          only={enrolment}
          onClose={onClose}
        />
      )}
      <OverrideDialog isOpen={dialog === 'override'} {...shown} />
      <ResetDialog isOpen={dialog === 'reset'} name={name} {...shown} />
      <DetailsDialog isOpen={dialog === 'details'} {...shown} />
    </>
  );
}
