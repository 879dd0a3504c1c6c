import { NumberInput, Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { notify } from '../../parts/toast.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';

const standards = {
  scorm12: 'SCORM 1.2',
  scorm2004: 'SCORM 2004',
  cmi5: 'cmi5',
  xapi: 'xAPI (tincan.xml)',
  aicc: 'AICC',
} as const;
type Standard = keyof typeof standards;
const isStandard = (name: string | null): name is Standard => name !== null && Object.hasOwn(standards, name);

const empty = {
  CourseID: undefined as string | undefined,
  DurationID: null as string | null,
  Standard: 'scorm12' as Standard,
  Name: '',
  Seats: '' as number | string,
  EndsAt: '',
};
type Typed = typeof empty;

/** Gives a course to another organisation. */
export function DispatchDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useTranslations('platforms');
  const course = useTranslations('enrolments');
  const { $api } = useApi();
  const queries = useQueryClient();
  const post = $api.useMutation('post', '/dispatch');
  const [typed, setTyped] = useFormState(isOpen, () => empty);
  const set = (change: Partial<Typed>) => setTyped((held) => ({ ...held, ...change }));
  const { CourseID, DurationID, Standard, Name, Seats, EndsAt } = typed;
  const query = { Search: CourseID ?? '', Limit: 50 };
  const found = $api.useQuery(
    'get',
    '/catalogue/course',
    { params: { query } },
    { enabled: CourseID !== undefined },
  );
  const options = found.data?.Items.find((one) => one.CourseID === CourseID)?.AvailableEnrolOptions ?? [];
  const chosen = DurationID ?? options[0]?.DurationID ?? null;
  const submit = async () => {
    await post.mutateAsync({
      body: {
        ...{ CourseID: CourseID ?? '', DurationID: chosen ?? '', Standard },
        ...(Name !== '' && { Name }),
        Seats: typeof Seats === 'number' ? Seats : null,
        EndsAt: EndsAt === '' ? null : new Date(EndsAt).toISOString(),
      },
    });
    await queries.invalidateQueries();
    notify(t('created'));
  };
  return (
    <FormDialog
      title={t('addDispatch')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('create')}
      onSubmit={submit}
      isDirty={JSON.stringify(typed) !== JSON.stringify(empty)}
      missing={[CourseID === undefined && course('course'), chosen === null && t('option')]}
    >
      <CoursePicker value={CourseID} onChange={(next) => set({ CourseID: next, DurationID: null })} />
      <Select
        label={t('option')}
        data={options.map((one) => ({ value: one.DurationID, label: one.Name ?? one.DurationID }))}
        value={chosen}
        onChange={(next) => set({ DurationID: next })}
        disabled={options.length === 0}
      />
      <Select
        label={t('standard')}
        data={Object.entries(standards).map(([value, label]) => ({ value, label }))}
        value={Standard}
        onChange={(name) => isStandard(name) && set({ Standard: name })}
        allowDeselect={false}
      />
      <TextInput
        label={t('fields.Name')}
        value={Name}
        onChange={(event) => set({ Name: event.currentTarget.value })}
      />
      <NumberInput
        label={t('seats')}
        description={t('seatsText')}
        min={1}
        allowDecimal={false}
        value={Seats}
        onChange={(next) => set({ Seats: next })}
      />
      <TextInput
        type="datetime-local"
        label={t('endsAt')}
        description={t('endsAtText')}
        value={EndsAt}
        onChange={(event) => set({ EndsAt: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
