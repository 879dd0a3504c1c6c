import './bulk.css';
import { Alert, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { Page } from '../../parts/page.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { GroupForm, type Typed } from './group-form.tsx';
import { type GroupEnrolment, groupSource } from './group-rows.ts';
import { peopleIn, signatureOf, unfinishedGroup } from './group-signature.ts';
import { GroupTexts } from './group-texts.tsx';
import { viewerOf } from './import-keys.ts';
import { RecentImports } from './recent-imports.tsx';
import { RunView } from './run-view.tsx';
import { useSelected } from './selected.ts';
import type { Source } from './source.ts';
import { begin, finish, isUnfinished } from './unfinished.ts';
import { type Input, useRun } from './use-run.ts';
import { WithUndo } from './with-undo.tsx';

export default function EnrolGroup() {
  const t = useTranslations('bulk.group.form');
  const shell = useTranslations('shell');
  const { tenant } = useApi();
  const opened = useSelected();
  const selected = opened?.of === 'users' ? opened : null;
  return (
    <Page
      title={selected ? t('titleSelected', { count: selected.users.length }) : t('title')}
      text={t(selected ? 'textSelected' : 'text')}
      back={{ to: '/console/users', text: shell('pages.users') }}
    >
      <WithUndo>
        <GroupRun key={`${tenant} ${selected?.id}`} selected={selected} />
      </WithUndo>
    </Page>
  );
}

type Planned = { wanted: GroupEnrolment; source: Source; people: number };

/** The form, the plan, and the result for each person. Only the people in the plan are then enrolled. */
function GroupRun({ selected }: { selected: { id: string; users: readonly string[] } | null }) {
  const t = useTranslations('bulk.group');
  const api = useApi();
  const queries = useQueryClient();
  const [{ group }] = useFilters(['group']);
  // Another person in this browser must not see what was interrupted.
  const owner = JSON.stringify([viewerOf(useSession()), api.tenant]);
  const [unfinished] = useState(() => unfinishedGroup(owner, selected?.id));
  // The URL may name another group.
  const isContinued =
    unfinished !== null && (selected !== null || [undefined, unfinished.group].includes(group));
  const continued = isContinued ? unfinished : null;
  const [typed, setTyped] = useState<Typed>({
    courseId: undefined,
    durationId: undefined,
    ifEnrolled: 'return',
    enrolsOthers: true,
    ...continued,
    group: selected ? undefined : (continued?.group ?? group),
    users: selected?.users ?? null,
  });
  const [planned, setPlanned] = useState<Planned | null>(null);
  const [isNobody, setNobody] = useState(false);
  const reading = useRef<AbortController | null>(null);
  useEffect(() => () => reading.current?.abort(), []);
  const signature = ({ wanted, people }: Planned) => signatureOf(owner, selected?.id, wanted, people);
  const running = useRun(({ requestKey }: Input) => {
    if (requestKey === null || !planned) return;
    finish(signature(planned));
    void queries.invalidateQueries();
  });
  const inputOf = ({ wanted, source }: Planned, requestKey: string | null): Input => ({
    name: `${wanted.users ? t('form.titleSelected', { count: wanted.users.length }) : wanted.group} · ${wanted.courseId}`,
    ...{ source, requestKey },
  });
  const planning = useAction(async (wanted: GroupEnrolment) => {
    reading.current = new AbortController();
    const source = await groupSource(api, wanted, reading.current.signal);
    setNobody(source === null);
    if (!source) return;
    const planned = { wanted, source, people: peopleIn(source) };
    setPlanned(planned);
    running.start(inputOf(planned, null));
  });
  // An interrupted enrolment is continued, even in another tab, so that nobody is extended twice and undo is complete.
  const apply = (planned: Planned) => running.start(inputOf(planned, begin(signature(planned))));
  const { run } = running;
  if (!run || !planned)
    return (
      <Stack gap="md">
        {continued &&
          unfinishedGroup(owner, selected?.id) !== null &&
          typed.courseId === continued.courseId &&
          (selected || typed.group === continued.group) && (
            <Alert color="blue" role="status" title={t('form.unfinished')} maw={640}>
              {t('form.unfinishedText')}
            </Alert>
          )}
        <GroupForm
          typed={typed}
          onChange={(change) => {
            setNobody(false);
            setTyped((before) => ({ ...before, ...change }));
          }}
          onPlan={(wanted) => void planning.run(wanted)}
          isPlanning={planning.isRunning}
        />
        {isNobody && (
          <Alert color="orange" role="alert" maw={640}>
            {t('form.nobody')}
          </Alert>
        )}
        <FailedAction error={planning.error} />
        <RecentImports />
      </Stack>
    );
  const { wanted, source } = planned;
  const shown = { course: wanted.courseId, option: wanted.durationId };
  return (
    <GroupTexts ifEnrolled={wanted.ifEnrolled} users={wanted.users}>
      <Text className="break">
        {wanted.users
          ? t('form.chosenSelected', { count: wanted.users.length, ...shown })
          : t('form.chosen', { group: wanted.group, ...shown })}
      </Text>
      <RunView
        run={run}
        running={running}
        source={source}
        group={wanted}
        isUnfinished={isUnfinished(signature(planned))}
        onApply={() => apply(planned)}
        onOther={running.clear}
      />
      <LeaveGuard isOn={run.state === 'running' && !run.isPlan} text={t('leaveText')} />
    </GroupTexts>
  );
}
