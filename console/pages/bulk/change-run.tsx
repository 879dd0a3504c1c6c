import './bulk.css';
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useAction } from '../../parts/action.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { newRequestKey } from '../../parts/request-key.ts';
import { FailedAction } from '../../parts/states.tsx';
import { type Change, ChangeTexts } from './change-texts.tsx';
import { RunView } from './run-view.tsx';
import { type RowCalls, type Send, sendRows } from './send-rows.ts';
import type { Source } from './source.ts';
import { useRun } from './use-run.ts';

type Props<T> = {
  change: Change;
  rows: readonly T[];
  /** Called for each plan. */
  callsOf: () => RowCalls<T>;
  list: '/console/enrolments' | '/console/courses';
  /** The fields of the form; its button shows the plan. */
  children: ReactNode;
};

type Planned = { source: Source; send: Send };

/** The IDs of the rows, so that rejected rows can be saved. */
function sourceOf<T>(rows: readonly T[], { ids }: RowCalls<T>): Source {
  const columns = rows[0] === undefined ? [] : Object.keys(ids(rows[0]));
  return { columns, cells: rows.map((row) => Object.values(ids(row)).map((id) => id ?? '')) };
}

/** A change to selected rows: the form, the plan, and the result for each row. */
export function ChangeRun<T>({ change, rows, callsOf, list, children }: Props<T>) {
  const t = useTranslations('bulk.selection');
  const act = useTranslations('act');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { history } = useRouter();
  const [planned, setPlanned] = useState<Planned | null>(null);
  const running = useRun(({ requestKey }) => {
    if (requestKey !== null) void queries.invalidateQueries();
  });
  const start = ({ source, send }: Planned, requestKey: string | null) =>
    running.start({ source, requestKey, send });
  const planning = useAction(async () => {
    const calls = callsOf();
    const next = { source: sourceOf(rows, calls), send: sendRows(rows, calls) };
    setPlanned(next);
    start(next, null);
  });
  const { run } = running;
  if (!run || !planned)
    return (
      <Paper
        withBorder
        p="md"
        className="bulk-part"
        maw={640}
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          void planning.run();
        }}
      >
        <Stack gap="md">
          {children}
          <FailedAction error={planning.error} />
          <Group justify="space-between" gap="sm">
            <Text size="sm" c="dimmed">
              {t('planText')}
            </Text>
            <Group gap="sm">
              <Button variant="default" onClick={() => history.back()}>
                {act('cancel')}
              </Button>
              <Button type="submit" loading={planning.isRunning}>
                {t('plan')}
              </Button>
            </Group>
          </Group>
        </Stack>
      </Paper>
    );
  return (
    <ChangeTexts change={change}>
      <RunView
        run={run}
        running={running}
        source={planned.source}
        isChange
        onApply={() => start(planned, newRequestKey())}
        onOther={() => navigate({ to: list, search: {} })}
      />
      <LeaveGuard isOn={run.state === 'running' && !run.isPlan} text={t('leaveText')} />
    </ChangeTexts>
  );
}
