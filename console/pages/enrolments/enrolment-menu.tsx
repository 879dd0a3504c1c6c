import { Menu, Text } from '@mantine/core';
import {
  IconAdjustments,
  IconArrowBackUp,
  IconPencil,
  IconRefresh,
  IconRestore,
  IconUserMinus,
} from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { EndDialog } from './end-dialog.tsx';
import { EnrolDialog } from './enrol-dialog.tsx';
import { OverrideDialog } from './override-dialog.tsx';
import { ResetDialog } from './reset-dialog.tsx';
import { useChange } from './use-changes.ts';
import type { Enrolment } from './values.tsx';

export type Dialog = 'end' | 'withdraw' | 'restore' | 'renew' | 'reset' | 'override' | 'details' | null;

type MenuProps = { enrolment: Enrolment; onChoose: (dialog: Dialog) => void };

export function EnrolmentMenu({ enrolment, onChoose }: MenuProps) {
  const t = useTranslations('enrolments');
  const isWithdrawn = enrolment.Status === 'withdrawn';
  const items: { dialog: NonNullable<Dialog>; text: string; icon: typeof IconRefresh }[] = [
    { dialog: 'renew', text: t('renew'), icon: IconRefresh },
    { dialog: 'reset', text: t('attempts.reset'), icon: IconRestore },
    { dialog: 'override', text: t('override.button'), icon: IconAdjustments },
    { dialog: 'details', text: t('details.edit'), icon: IconPencil },
    isWithdrawn
      ? { dialog: 'restore', text: t('restore.button'), icon: IconArrowBackUp }
      : { dialog: 'withdraw', text: t('withdraw.button'), icon: IconUserMinus },
  ];
  return (
    <MoreMenu label={t('more')}>
      {items.map(({ dialog, text, icon: Icon }) => (
        <Menu.Item
          key={dialog}
          leftSection={<Icon size={16} aria-hidden />}
          onClick={() => onChoose(dialog)}
          {...(dialog === 'withdraw' ? { color: 'red' } : {})}
        >
          {text}
        </Menu.Item>
      ))}
    </MoreMenu>
  );
}

type DialogsProps = { enrolment: Enrolment; name: string; dialog: Dialog; onClose: () => void };

export function Dialogs({ enrolment, name, dialog, onClose }: DialogsProps) {
  const t = useTranslations('enrolments');
  const change = useChange(enrolment);
  const { LoginID, CourseID } = enrolment;
  const shown = { enrolment, onClose };
  return (
    <>
      <EndDialog isOpen={dialog === 'end'} {...shown} />
      <OverrideDialog isOpen={dialog === 'override'} {...shown} />
      <ResetDialog isOpen={dialog === 'reset'} name={name} {...shown} />
      <DetailsDialog isOpen={dialog === 'details'} {...shown} />
      <EnrolDialog
        isOpen={dialog === 'renew'}
        loginId={LoginID}
        courseId={CourseID}
        again="renew"
        onClose={onClose}
      />
      <FormDialog
        title={t('withdraw.title', { name })}
        isOpen={dialog === 'withdraw'}
        onClose={onClose}
        submit={t('withdraw.button')}
        onSubmit={() => change({ Withdrawn: true }, t('withdraw.done'))}
      >
        <Text>{t('withdraw.text')}</Text>
      </FormDialog>
      <FormDialog
        title={t('restore.button')}
        isOpen={dialog === 'restore'}
        onClose={onClose}
        submit={t('restore.button')}
        onSubmit={() => change({ Withdrawn: false }, t('restore.done'))}
      >
        <Text>{t('restore.text')}</Text>
      </FormDialog>
    </>
  );
}
