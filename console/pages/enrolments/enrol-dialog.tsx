import { Alert, Radio, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant, OutcomeBadge } from '../../parts/values.tsx';
import { OptionCards } from './option-cards.tsx';
import { CoursePicker, LearnerPicker } from './pickers.tsx';
import { useEnrol } from './use-changes.ts';
import type { Offer } from './values.tsx';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  /** Values known when the dialog opens. */
  loginId?: string;
  courseId?: string;
  /** The choice that is preselected if the learner is already enrolled. */
  again?: FormValues['again'];
};

type FormValues = {
  loginId: string | undefined;
  courseId: string | undefined;
  durationId: string | undefined;
  again: 'extend' | 'renew';
  reference: string;
};

export function EnrolDialog({ isOpen, onClose, loginId, courseId, again = 'extend' }: Props) {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const enrol = useEnrol();
  const [typed, setTyped] = useFormState<FormValues>(isOpen, () => ({
    loginId,
    courseId,
    durationId: undefined,
    again,
    reference: '',
  }));
  const set = (change: Partial<FormValues>) => setTyped((before) => ({ ...before, ...change }));
  const isKnown = isOpen && typed.loginId !== undefined && typed.courseId !== undefined;
  const path = { LoginID: typed.loginId ?? '', CourseID: typed.courseId ?? '' };
  const offer = $api.useQuery(
    'get',
    '/catalogue/course/{CourseID}/{LoginID}',
    { params: { path } },
    { enabled: isKnown },
  );
  const options = offer.data?.AvailableEnrolOptions ?? [];
  const durationId = typed.durationId ?? (options.length === 1 ? options[0]?.DurationID : undefined);
  const isAgain = Boolean(offer.data?.EnrollID);
  const submit = async () => {
    const made = await enrol({
      ...path,
      ...(durationId === undefined ? {} : { DurationID: durationId }),
      IfEnrolled: isAgain ? typed.again : 'fail',
      ...(typed.reference === '' ? {} : { Reference: typed.reference }),
    });
    await queries.invalidateQueries();
    notify(t(isAgain ? `again.${typed.again}Done` : 'enrolled', { course: made.CourseTitle }));
    void navigate({
      to: '/console/enrolments/$loginId/$enrollId',
      params: { loginId: made.LoginID, enrollId: made.EnrollID },
      search: {},
    });
  };
  const verb = isAgain ? t(`again.${typed.again}`) : t('enrol');
  return (
    <FormDialog title={t('enrolTitle')} isOpen={isOpen} onClose={onClose} submit={verb} onSubmit={submit}>
      <LearnerPicker
        value={typed.loginId}
        onChange={(loginId) => set({ loginId, durationId: undefined })}
        required
      />
      <CoursePicker
        value={typed.courseId}
        onChange={(courseId) => set({ courseId, durationId: undefined })}
        required
      />
      {isKnown && offer.isPending && <WaitingRows rows={2} />}
      {isKnown && offer.error && <Failed error={offer.error} onRetry={offer.refetch} />}
      {isKnown && offer.data && (
        <>
          <Current
            offer={offer.data}
            loginId={path.LoginID}
            again={typed.again}
            onChange={(again) => set({ again })}
          />
          <OptionCards
            options={options}
            value={durationId}
            onChange={(durationId) => set({ durationId })}
            isRetired={offer.data.Status === 'retired'}
          />
        </>
      )}
      <TextInput
        label={t('reference')}
        description={t('referenceText')}
        maxLength={255}
        value={typed.reference}
        onChange={(event) => set({ reference: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

type CurrentProps = {
  offer: Offer;
  loginId: string;
  again: FormValues['again'];
  onChange: (again: FormValues['again']) => void;
};

/** For a learner who is already enrolled: extend access or start again. */
function Current({ offer, loginId, again, onChange }: CurrentProps) {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const { data } = $api.useQuery(
    'get',
    '/enrolment/{LoginID}/{EnrollID}',
    { params: { path: { LoginID: loginId, EnrollID: offer.EnrollID ?? '' } } },
    { enabled: offer.EnrollID !== null },
  );
  if (offer.EnrollID === null) return null;
  return (
    <Alert color="blue" variant="light" title={t('again.title')}>
      <Stack gap="sm">
        {data && (
          <span>
            <OutcomeBadge outcome={data.Outcome} /> {t('ends')}:{' '}
            <Instant at={data.ExpiresAt} none={t('never')} />
          </span>
        )}
        <Radio.Group
          label={t('again.question')}
          value={again}
          onChange={(value) => onChange(value === 'renew' ? 'renew' : 'extend')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="extend" label={t('again.extend')} description={t('again.extendText')} />
            <Radio value="renew" label={t('again.renew')} description={t('again.renewText')} />
          </Stack>
        </Radio.Group>
      </Stack>
    </Alert>
  );
}
