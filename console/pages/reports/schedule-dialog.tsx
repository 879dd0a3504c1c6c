import { Alert } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { notify } from '../../parts/toast.tsx';
import { TestMail } from '../invitations/test-mail.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { bodyOf, emptyForm, isSame, type Schedule, valuesOf } from './schedule-form.ts';

/** Schedules a report, or changes the given one. */
export function ScheduleDialog(props: { schedule: Schedule | null; isOpen: boolean; onClose: () => void }) {
  const { schedule, isOpen, onClose } = props;
  const t = useTranslations('reports.schedules');
  const { $api } = useApi();
  const settings = $api.useQuery('get', '/settings', {}, { enabled: isOpen });
  const session = useSession();
  const queries = useQueryClient();
  const create = $api.useMutation('post', '/report/schedule');
  const update = $api.useMutation('put', '/report/schedule/{ScheduleID}');
  const isRecipient = session.Role === 'administrator' && session.LoginID !== null;
  const initial = () =>
    schedule ? valuesOf(schedule) : emptyForm(isRecipient && session.LoginID ? [session.LoginID] : []);
  const [typed, setTyped] = useFormState(isOpen, initial);
  const submit = async () => {
    const body = bodyOf(typed);
    if (schedule) await update.mutateAsync({ params: { path: { ScheduleID: schedule.ScheduleID } }, body });
    else await create.mutateAsync({ body });
    await queries.invalidateQueries();
    notify(t(schedule ? 'saved' : 'added'));
  };
  return (
    <FormDialog
      title={t(schedule ? 'editTitle' : 'addTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t(schedule ? 'save' : 'add')}
      onSubmit={submit}
      isDirty={!isSame(typed, initial())}
      missing={[typed.Delivery === 'email' && typed.Recipients.length === 0 && t('recipients')]}
      isBlocked={typed.Delivery === 'email' && settings.data?.SendsMail === false}
      size="lg"
    >
      {settings.data?.SendsMail === false && typed.Delivery === 'email' && (
        <Alert color="orange" variant="light" title={t('noMailTitle')}>
          {t('noMail')}
        </Alert>
      )}
      <ScheduleFields typed={typed} onChange={setTyped} />
      {settings.data?.SendsMail && typed.Delivery === 'email' && <TestMail sendsMail />}
    </FormDialog>
  );
}
