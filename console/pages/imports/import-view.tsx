import { Alert, Button, Group, Radio, Stack, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { useSession } from '../../api/session.tsx';
import { ConfirmButton, useAction } from '../../parts/action.tsx';
import { csvFile, csvRow } from '../../parts/csv.ts';
import { RunBar } from '../../parts/run-bar.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Failed, FailedAction, Waiting } from '../../parts/states.tsx';
import { InviteDialog, type Invitee } from '../users/invite-dialog.tsx';
import { ImportColumns } from './import-columns.tsx';
import { everyRow, ImportRows } from './import-rows.tsx';
import { type Import, isWorking, useSentence } from './sentence.ts';
import type { Upload } from './upload.ts';

type Answers = components['schemas']['ImportAnswers'];

type Props = {
  importId: string;
  /** The file, while the page that uploaded it is open. */
  upload: Upload | null;
  onMade: (upload: Upload, importId: string) => void;
  onOther: () => void;
};

/** An import of the service: its plan, its progress, its result and its undo. */
export function ImportView({ importId, upload, onMade, onOther }: Props) {
  const t = useTranslations('imports');
  const { $api } = useApi();
  const queries = useQueryClient();
  const params = { path: { ImportID: importId }, query: { Limit: 1 } };
  const query = $api.useQuery(
    'get',
    '/import/{ImportID}',
    { params },
    { refetchInterval: ({ state }) => (state.data && isWorking(state.data) ? 1_000 : false) },
  );
  const sentence = useSentence();
  const status = query.data?.Status;
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(status);
  useEffect(() => {
    if (before.current !== undefined && before.current !== status) {
      void queries.invalidateQueries();
      // The button that started this step has disappeared.
      if (document.activeElement === document.body) heading.current?.focus();
    }
    before.current = status;
  }, [status, queries]);
  if (query.isPending) return <Waiting />;
  if (!query.data) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  const one = query.data;
  // The rows of people who were chosen here have no columns to recognise.
  const isList = one.Columns.map(({ Name }) => Name).join() === 'LoginID,CourseID,DurationID';
  const isPlan = one.Status === 'planning' || one.Status === 'planned';
  const work = one.Undo ?? one.Counts;
  const left = one.Undo?.Kept ?? one.Counts.Refused + one.Counts.Partial;
  return (
    <Stack gap="lg" component="section" aria-labelledby="import">
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h4" id="import" className="break page-title" tabIndex={-1} ref={heading}>
          {t(`titles.${one.Status}`, { name: one.Name })}
        </Title>
        <Button variant="default" onClick={onOther}>
          {t('another')}
        </Button>
      </Group>
      {isWorking(one) ? (
        <RunBar
          rows={work.Done}
          of={work.Rows}
          label={t(`titles.${one.Status}`, { name: one.Name })}
          text={sentence(one)}
          isRunning
        >
          {t('leave')}
        </RunBar>
      ) : (
        <Alert color={isPlan ? 'blue' : left > 0 ? 'orange' : 'green'} role="status" title={sentence(one)}>
          {isPlan && t('planNote')}
        </Alert>
      )}
      {one.Status === 'planned' && <Apply one={one} onStarted={() => query.refetch()} />}
      {one.Status === 'applied' && <AfterApply one={one} onStarted={() => query.refetch()} />}
      {one.Status === 'undone' && (
        <Group>
          <SaveButton one={one} />
        </Group>
      )}
      {one.Status === 'planned' && !isList && <ImportColumns one={one} upload={upload} onMade={onMade} />}
      {!isWorking(one) && <ImportRows one={one} />}
    </Stack>
  );
}

type StepProps = { one: Import; onStarted: () => unknown };

function Apply({ one, onStarted }: StepProps) {
  const t = useTranslations('imports');
  const { client } = useApi();
  const [answers, setAnswers] = useState<Answers>({});
  const applying = useAction(async () => {
    const params = { path: { ImportID: one.ImportID } };
    await dataOf(client.POST('/import/{ImportID}/apply', { params, body: answers }));
    await onStarted();
  });
  const { Counts, Questions } = one;
  const answered = Questions.filter(({ code }) =>
    code === 'ambiguous_date' ? answers.DateOrder : (answers.Similar ?? 'refuse') !== 'refuse',
  );
  const included = answered.reduce((sum, { Rows }) => sum + Rows, 0);
  const count = Counts.Created + Counts.Updated + Counts.Partial + included;
  const isAsked = (...codes: string[]) => Questions.some(({ code }) => codes.includes(code));
  return (
    <Stack gap="md">
      {Questions.map(({ code, Rows, detail }) => (
        <Alert key={code} color="yellow" title={t('question', { count: Rows })}>
          {detail}
        </Alert>
      ))}
      {isAsked('similar_group', 'similar_login_id') && (
        <Radio.Group
          label={t('similar.label')}
          value={answers.Similar ?? 'refuse'}
          onChange={(Similar) => setAnswers({ ...answers, Similar: Similar as 'use' })}
        >
          <Stack gap="xs" mt="xs">
            {(['refuse', 'use', 'create'] as const).map((value) => (
              <Radio key={value} value={value} label={t(`similar.${value}`)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {isAsked('ambiguous_date') && (
        <Radio.Group
          label={t('dates.label')}
          value={answers.DateOrder ?? ''}
          onChange={(DateOrder) => setAnswers({ ...answers, DateOrder: DateOrder as 'day-month' })}
        >
          <Stack gap="xs" mt="xs">
            {(['day-month', 'month-day'] as const).map((value) => (
              <Radio key={value} value={value} label={t(`dates.${value}`)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <FailedAction error={applying.error} />
      <Group>
        <Button disabled={count === 0} loading={applying.isRunning} onClick={() => void applying.run()}>
          {count === 0 ? t('nothing') : t('apply', { count })}
        </Button>
      </Group>
    </Stack>
  );
}

function AfterApply({ one, onStarted }: StepProps) {
  const t = useTranslations('imports');
  const api = useApi();
  const { Scopes } = useSession();
  const [people, setPeople] = useState<Invitee[] | null>(null);
  const inviting = useAction(async () => {
    const rows = await everyRow(api, one.ImportID, 'created');
    setPeople(
      rows.flatMap(({ LoginID, User }) =>
        LoginID !== null && User === 'created'
          ? [{ LoginID, FirstName: null, LastName: null, Email: null }]
          : [],
      ),
    );
  });
  const made = one.Counts.UsersCreated;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        {made > 0 && Scopes.includes('users:admin') && (
          <Button loading={inviting.isRunning} onClick={() => void inviting.run()}>
            {t('invite', { count: made })}
          </Button>
        )}
        <SaveButton one={one} />
        <UndoButton one={one} onStarted={onStarted} />
      </Group>
      <FailedAction error={inviting.error} />
      {people && <InviteDialog users={people} onClose={() => setPeople(null)} />}
    </Stack>
  );
}

/** Nothing if the import cannot be undone. In a list, the button is small and named after its import. */
export function UndoButton({ one, onStarted, isInList = false }: StepProps & { isInList?: boolean }) {
  const t = useTranslations('imports');
  const { client } = useApi();
  const { ImportID, Name, Status, UndoableUntil, PlatformID, Counts } = one;
  if (Status !== 'applied' || UndoableUntil === null) return null;
  const updated = PlatformID === null ? 0 : Counts.Updated;
  if (Counts.UsersCreated + Counts.EnrolmentsCreated + updated === 0) return null;
  const title = t('undo.title', { name: Name });
  return (
    <ConfirmButton
      text={t('undo.button')}
      title={title}
      question={t('undo.question')}
      confirm={t('undo.confirm')}
      isDangerous
      act={async () => {
        await dataOf(client.POST('/import/{ImportID}/undo', { params: { path: { ImportID } } }));
        await onStarted();
      }}
      {...(isInList && { button: { size: 'compact-sm', 'aria-label': title } })}
    />
  );
}

const resultColumns = [
  ...(['Line', 'LoginID', 'CourseID', 'EnrollID', 'Outcome', 'User', 'Enrolment'] as const),
  ...(['code', 'param', 'detail', 'Nearest', 'Undone', 'UndoReason'] as const),
];

function SaveButton({ one: { ImportID, Name } }: { one: Import }) {
  const t = useTranslations('imports');
  const api = useApi();
  const saving = useAction(async () => {
    const rows = await everyRow(api, ImportID);
    const lines = rows.map((row) => csvRow(resultColumns.map((name) => row[name])));
    saveFile(`${Name.replace(/\.\w+$/, '')}-results.csv`, csvFile([csvRow(resultColumns), ...lines]));
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={saving.isRunning}
        onClick={() => void saving.run()}
      >
        {t('results')}
      </Button>
      <FailedAction error={saving.error} />
    </>
  );
}
