import {
  Alert,
  Button,
  Checkbox,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { readRows } from '../../api/data.ts';
import { useAction } from '../../parts/action.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { csvRow } from '../../parts/csv.ts';
import { useFilters } from '../../parts/filters.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { CoursesPicker, LearnersPicker } from '../enrolments/pickers.tsx';
import { useEnrol } from '../enrolments/use-changes.ts';
import { FilePicker } from '../imports/file-picker.tsx';
import { sendFile, type Upload, unreadable } from '../imports/upload.ts';
import { GroupPicker } from '../users/group.tsx';
import { type Chosen, CourseOptions } from './course-options.tsx';
import { useSelectedPeople } from './selected.ts';

const sources = ['people', 'group', 'file'] as const;
/** More people than this are shown as a number. */
const maxNamed = 12;

type Props = { onMade: (upload: Upload | null, importId: string) => void };

/** Who is enrolled, on which courses, until when. */
export function EnrolForm({ onMade }: Props) {
  const t = useTranslations('enrol');
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const enrol = useEnrol();
  const selected = useSelectedPeople();
  const [given, setGiven] = useFilters(['login', 'group', 'course', 'from']);
  const from =
    choiceOf(sources, given.from) ?? (given.group !== undefined && selected === null ? 'group' : 'people');
  const [people, setPeople] = useState<readonly string[]>(
    selected ?? (given.login === undefined ? [] : [given.login]),
  );
  const [group, setGroup] = useState(given.group);
  const [file, setFile] = useState<File | null>(null);
  const [courses, setCourses] = useState<string[]>(given.course === undefined ? [] : [given.course]);
  const [chosen, setChosen] = useState<Readonly<Record<string, Chosen>>>({});
  const [due, setDue] = useState('');
  const [end, setEnd] = useState('');
  const [extendsAccess, setExtends] = useState(false);
  const [updates, setUpdates] = useState(false);
  const members = api.$api.useQuery(
    'get',
    '/user',
    { params: { query: { GroupName: group ?? '', Limit: 1 } } },
    { enabled: from === 'group' && group !== undefined },
  );
  const first = from === 'people' ? people[0] : members.data?.Items[0]?.LoginID;
  const isEmpty = from === 'group' && members.data?.Items.length === 0;
  const isSingle = from === 'people' && people.length === 1 && courses.length === 1;

  /** What is missing; the button is disabled until nothing is. */
  const missing = () => {
    if (from === 'people' && people.length === 0) return t('missing.people');
    if (from === 'group' && (group === undefined || isEmpty)) return t('missing.group');
    if (from === 'file') return file ? null : t('missing.file');
    if (courses.length === 0) return t('missing.course');
    if (courses.some((id) => chosen[id]?.durationId === undefined)) return t('missing.option');
    return null;
  };

  const query = {
    ...(end === '' ? {} : { ExpiresAt: end }),
    ...(extendsAccess ? { IfEnrolled: 'extend' as const } : {}),
  };
  const optionOf = (id: string) => chosen[id]?.durationId;

  async function planRows(): Promise<void> {
    const loginIds =
      from === 'people'
        ? people
        : (await readRows<{ LoginID: string }>(api, '/user', { GroupName: group })).map(
            ({ LoginID }) => LoginID,
          );
    const rows = loginIds.flatMap((loginId) =>
      courses.map((id) => csvRow([loginId, id, optionOf(id), ...(due ? [due] : [])], { isRaw: true })),
    );
    const who = from === 'group' ? group : t('count', { count: loginIds.length });
    const content = [csvRow(['LoginID', 'CourseID', 'DurationID', ...(due ? ['DueAt'] : [])]), ...rows];
    const upload: Upload = {
      file: new File(content, `${who} · ${courses.join(', ')}`),
      query: { ...query, Of: 'enrolments' },
    };
    onMade(null, (await sendFile(api, upload)).ImportID);
  }

  async function planFile(file: File): Promise<void> {
    const [CourseID] = courses;
    const DurationID = CourseID === undefined ? undefined : optionOf(CourseID);
    const upload: Upload = {
      file,
      query: {
        ...query,
        ...(CourseID === undefined ? {} : { CourseID }),
        ...(DurationID === undefined ? {} : { DurationID }),
        ...(updates ? { IfExists: 'update' as const } : {}),
      },
    };
    onMade(upload, (await sendFile(api, upload)).ImportID);
  }

  /** One person needs no plan: the enrolment's page shows the result, and can withdraw it. */
  async function enrolOne(LoginID: string, CourseID: string): Promise<void> {
    const DurationID = optionOf(CourseID);
    const made = await enrol({
      ...{ LoginID, CourseID },
      ...(DurationID === undefined ? {} : { DurationID }),
      ...(due === '' ? {} : { DueAt: due }),
      ...(end === '' ? {} : { ExpiresAt: end }),
      IfEnrolled: extendsAccess ? 'extend' : 'fail',
    });
    await queries.invalidateQueries();
    notify(t('enrolled', { course: made.CourseTitle }));
    await navigate({
      to: '/console/enrolments/$loginId/$enrollId',
      params: { loginId: made.LoginID, enrollId: made.EnrollID },
      search: {},
    });
  }

  const submitting = useAction(async () => {
    const [LoginID] = people;
    const [CourseID] = courses;
    if (isSingle && LoginID !== undefined && CourseID !== undefined) return enrolOne(LoginID, CourseID);
    return from === 'file' && file ? planFile(file) : planRows();
  });
  const lack = missing();
  return (
    <Paper
      withBorder
      p="md"
      maw={640}
      className="enrol-part"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void submitting.run();
      }}
    >
      <Stack gap="md">
        <SegmentedControl
          aria-label={t('who')}
          value={from}
          onChange={(from) => setGiven({ from })}
          data={sources.map((value) => ({ value, label: t(`sources.${value}`) }))}
        />
        {from === 'people' &&
          (people.length > maxNamed ? (
            <Group justify="space-between">
              <Text fw={600}>{t('count', { count: people.length })}</Text>
              <Button variant="default" size="xs" onClick={() => setPeople([])}>
                {t('others')}
              </Button>
            </Group>
          ) : (
            <LearnersPicker values={people} onChange={setPeople} />
          ))}
        {from === 'group' && <GroupPicker value={group} onChange={setGroup} required />}
        {isEmpty && <Alert color="orange">{t('empty')}</Alert>}
        {from === 'file' && <FilePicker file={file} onChange={setFile} />}
        <CoursesPicker values={courses} onChange={setCourses} {...(from === 'file' ? { max: 1 } : {})} />
        {from === 'file' && (
          <Text size="sm" c="dimmed">
            {t('fileText')}
          </Text>
        )}
        {courses.map((id) => (
          <CourseOptions
            key={id}
            courseId={id}
            loginId={first}
            takesSeat={!extendsAccess}
            chosen={chosen[id]}
            onChange={(known) => setChosen((before) => ({ ...before, [id]: known }))}
            isTitled={courses.length > 1}
          />
        ))}
        {from !== 'file' && (
          <TextInput
            type="date"
            label={t('due')}
            description={t('dueText')}
            value={due}
            onChange={(event) => setDue(event.currentTarget.value)}
          />
        )}
        <TextInput
          type="date"
          label={t('end')}
          description={t('endText')}
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
        />
        <Checkbox
          label={t('extend')}
          description={t('extendText')}
          checked={extendsAccess}
          onChange={(event) => setExtends(event.currentTarget.checked)}
        />
        {from === 'file' && (
          <Checkbox
            label={t('update')}
            description={t('updateText')}
            checked={updates}
            onChange={(event) => setUpdates(event.currentTarget.checked)}
          />
        )}
        {submitting.error === unreadable ? (
          <Alert color="red" role="alert">
            {t('unreadable')}
          </Alert>
        ) : (
          <FailedAction error={submitting.error} />
        )}
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed">
            {lack ?? (isSingle ? '' : t('planText'))}
          </Text>
          <Button type="submit" loading={submitting.isRunning} disabled={lack !== null}>
            {t(isSingle ? 'enrol' : 'plan')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
