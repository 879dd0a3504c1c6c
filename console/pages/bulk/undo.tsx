import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { FailedAction } from '../../parts/states.tsx';
import type { Created } from './created.ts';
import { KeptRows } from './kept-rows.tsx';
import { RunBar } from './run-bar.tsx';
import { TileList } from './tiles.tsx';
import { type UndoRun, useUndo } from './use-undo.ts';

/** Returns to the form or the result. */
export function BackLink() {
  const t = useTranslations('bulk.undo');
  return (
    <Button
      variant="default"
      renderRoot={(props) => (
        <Link to="." search={(before: object) => ({ ...before, undo: undefined }) as never} {...props} />
      )}
    >
      {t('back')}
    </Button>
  );
}

type Props = {
  undone: Created;
  /** False after the hour, or if nothing is left. */
  isAvailable: boolean;
};

/** The plan of an undo, its progress, and its result. */
export function Undo({ undone, isAvailable }: Props) {
  const t = useTranslations('bulk.undo');
  const { run, start, resume, stop } = useUndo(undone);
  const heading = useRef<HTMLHeadingElement>(null);
  const isRunning = run?.state === 'running';
  const plan = useEffectEvent(() => {
    if (!undone.isUndoing) start(true);
  });
  useEffect(() => plan(), []);
  const step = `${run?.state} ${run?.isPlan}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step replaces the button that started it
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [step]);
  return (
    <Stack gap="lg" component="section" aria-labelledby="undo">
      <Stack gap={2}>
        <Title order={2} size="h4" id="undo" className="break page-title" tabIndex={-1} ref={heading}>
          {t('title', { name: undone.name })}
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          {t('text')}
        </Text>
      </Stack>
      {!run && undone.isUndoing && (
        <Alert color="blue" role="status" title={t('interrupted')}>
          <Stack gap="sm" align="flex-start">
            {t('interruptedText', { count: undone.removed })}
            <Group gap="sm">
              <BackLink />
              <Button onClick={() => start(false)}>{t('goOn')}</Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {run && run.state !== 'done' && <UndoProgress run={run} onStop={stop} onResume={resume} />}
      {run?.state === 'done' && !run.isPlan && (
        <Alert
          color="green"
          role="status"
          icon={<IconCircleCheck size={18} aria-hidden />}
          title={t('done', { count: run.removed })}
        >
          {run.staying.length > 0 && t('stayText', { count: run.staying.length })}
        </Alert>
      )}
      {run && (run.state === 'done' || !run.isPlan) && <UndoTiles run={run} />}
      {run?.state === 'done' && <AfterStep run={run} isAvailable={isAvailable} onUndo={() => start(false)} />}
      {run && !isRunning && run.staying.length > 0 && <KeptRows rows={run.staying} isPlan={run.isPlan} />}
      <LeaveGuard isOn={isRunning && !run.isPlan} text={t('leaveText')} />
    </Stack>
  );
}

type ProgressProps = { run: UndoRun; onStop: () => void; onResume: () => void };

function UndoProgress({
  run: { state, isPlan, rows, of, isWaiting, error },
  onStop,
  onResume,
}: ProgressProps) {
  const t = useTranslations('bulk.undo');
  const bulk = useTranslations('bulk');
  return (
    <Stack gap="sm">
      <RunBar
        rows={rows}
        of={of}
        label={t(isPlan ? 'planTitle' : 'applyTitle')}
        text={t(isPlan ? 'planProgress' : 'progress', { rows, of })}
        isRunning={state === 'running'}
      >
        {state === 'running' ? (
          <Button variant="default" onClick={onStop}>
            {bulk('stop')}
          </Button>
        ) : (
          <Group gap="sm">
            <BackLink />
            <Button onClick={onResume}>{bulk('goOn')}</Button>
          </Group>
        )}
      </RunBar>
      {isWaiting && state === 'running' && (
        <Text size="sm" role="status">
          {t('waiting')}
        </Text>
      )}
      {state === 'stopped' && (
        <Text size="sm" role="status">
          {isPlan ? bulk('stoppedPlan') : t('stopped')}
        </Text>
      )}
      {state === 'failed' && (
        <>
          <FailedAction error={error} />
          {!isPlan && <Text size="sm">{t('failedText')}</Text>}
        </>
      )}
    </Stack>
  );
}

function UndoTiles({ run: { isPlan, removed, staying } }: { run: UndoRun }) {
  const t = useTranslations('bulk.undo.tiles');
  const tense = isPlan ? 'planned' : 'done';
  const enrolments = {
    ...{ kind: 'removed-enrolments', color: 'orange', count: removed },
    ...{ title: t(`enrolments.${tense}`), text: t('enrolments.text') },
  };
  const stay = {
    ...{ kind: 'staying', color: 'gray', count: staying.length },
    ...{ title: t(`staying.${tense}`), text: t('enrolments.text') },
  };
  return <TileList label={t('label')} tiles={[enrolments, stay]} />;
}

type AfterProps = { run: UndoRun; isAvailable: boolean; onUndo: () => void };

/** The next step after the plan or the undo. */
function AfterStep({ run: { isPlan, removed }, isAvailable, onUndo }: AfterProps) {
  const t = useTranslations('bulk.undo');
  if (!isPlan)
    return (
      <Group>
        <BackLink />
      </Group>
    );
  const text = !isAvailable ? 'goneText' : removed === 0 ? 'nothing' : 'safe';
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" maw={560} flex="1 1 16rem" role="status">
        {t(text)}
      </Text>
      <Group gap="sm">
        <BackLink />
        {isAvailable && removed > 0 && (
          <Button size="md" color="red.8" onClick={onUndo}>
            {t('confirm')}
          </Button>
        )}
      </Group>
    </Group>
  );
}
