import './bulk.css';
import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { Columns } from './columns.tsx';
import { addedFields, defaultExisting } from './existing.ts';
import { ExistingUsers } from './existing-users.tsx';
import { FieldList } from './field-list.tsx';
import { ChosenFile, FileDrop } from './file-drop.tsx';
import { fieldsFor } from './headings.ts';
import { RecentImports } from './recent-imports.tsx';
import { RunView } from './run-view.tsx';
import type { Source } from './source.ts';
import { hasCourses, type Subject } from './subjects.ts';
import { begin, finish, isUnfinished } from './unfinished.ts';
import { type Input, useRun } from './use-run.ts';

/** Two imports of the same rows have the same signature. */
function signatureOf(
  { subject, source: { file }, fields, added, isChecked }: Omit<Input, 'requestKey' | 'name'>,
  tenant: string | null,
) {
  const { name, size, lastModified } = file;
  return JSON.stringify([tenant, subject, name, size, lastModified, fields, added, isChecked]);
}

/** The steps of an import: the file, its columns, the plan, and the result of each row. */
export function Import({ subject, choice }: { subject: Subject; choice: ReactNode }) {
  const t = useTranslations('bulk');
  const { tenant } = useApi();
  const queries = useQueryClient();
  const [source, setSource] = useState<Source | null>(null);
  const [fields, setFields] = useState<(string | null)[]>([]);
  const [isChecked, setIsChecked] = useState(true);
  const [existing, setExisting] = useState(defaultExisting);
  const running = useRun((done: Input) => {
    if (done.requestKey === null) return;
    finish(signatureOf(done, tenant));
    void queries.invalidateQueries();
  });
  const { run } = running;
  const isRunning = run?.state === 'running';
  const choose = (chosen: Source | null) => {
    running.clear();
    setSource(chosen);
    setFields(chosen ? fieldsFor(subject, chosen.columns) : []);
  };
  if (!source)
    return (
      <Stack gap="lg">
        <div>{choice}</div>
        <FileDrop subject={subject} onSource={choose} />
        <RecentImports />
        <FieldList subject={subject} />
      </Stack>
    );
  const known = source.csv ? fields : source.columns;
  const added = subject === 'users' ? addedFields(existing, known) : {};
  const input = { subject, source, fields, added, isChecked, name: source.file.name };
  const plan = () => running.start({ ...input, requestKey: null });
  const signature = signatureOf(input, tenant);
  const apply = () => running.start({ ...input, requestKey: begin(signature) });
  return (
    <Stack gap="lg">
      <ChosenFile source={source} subject={subject} {...(isRunning ? {} : { onOther: () => choose(null) })} />
      {run ? (
        <RunView
          run={run}
          running={running}
          subject={subject}
          source={source}
          added={added}
          {...(hasCourses(subject, known)
            ? { enrolling: { changesExisting: known.includes('IfEnrolled') } }
            : {})}
          isUnfinished={isUnfinished(signature)}
          onApply={apply}
          onOther={() => choose(null)}
        />
      ) : (
        <Columns
          source={source}
          subject={subject}
          fields={fields}
          onChange={setFields}
          isChecked={isChecked}
          onChecked={setIsChecked}
          onPlan={plan}
          isUnfinished={isUnfinished(signature)}
        >
          {subject === 'users' && <ExistingUsers value={existing} onChange={setExisting} fields={known} />}
        </Columns>
      )}
      <LeaveGuard isOn={isRunning && !run.isPlan} text={t('leaveText')} />
    </Stack>
  );
}
