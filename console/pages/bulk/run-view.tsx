import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconDownload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { csvFile, csvRow } from '../../parts/csv.ts';
import { saveFile } from '../../parts/save-file.ts';
import { FailedAction } from '../../parts/states.tsx';
import type { GroupEnrolment } from './group-rows.ts';
import { resultColumns } from './outcome.ts';
import { RejectedRows } from './rejected-rows.tsx';
import { RunBar } from './run-bar.tsx';
import type { Source } from './source.ts';
import { Tiles } from './tiles.tsx';
import { UndoLink } from './undo-link.tsx';
import type { Run, Running } from './use-run.ts';

type Props = {
  run: Run;
  running: Running;
  source: Source;
  /** Set if the rows are the people of a group. */
  group?: GroupEnrolment;
  /** Whether the rows are existing records that are changed. */
  isChange?: boolean;
  /** Whether the run was interrupted, so that its results are incomplete even if nothing is left to do. */
  isUnfinished?: boolean;
  onApply: () => void;
  onOther: () => void;
};

/** A plan or an import: its progress, its results, and the next step. */
export function RunView(props: Props) {
  const { run, running, source, group, isChange = false, isUnfinished = false } = props;
  const { onApply, onOther } = props;
  const t = useTranslations('bulk');
  const { state, isPlan, sum } = run;
  return (
    <Stack gap="lg" component="section" aria-labelledby="run">
      <Stack gap={2}>
        <Title order={2} size="h4" id="run">
          {t(isPlan ? 'planTitle' : state === 'done' ? 'doneTitle' : 'applyTitle')}
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          {t(isPlan ? 'planNote' : 'applyNote')}
        </Text>
      </Stack>
      {state !== 'done' && <RunProgress run={run} running={running} />}
      {state === 'done' && !isPlan && sum.temporary === 0 && (
        <Alert
          color="green"
          role="status"
          icon={<IconCircleCheck size={18} aria-hidden />}
          title={t('done', { count: run.of })}
        >
          {sum.rejected.length > 0 && t('doneLeft', { count: sum.rejected.length })}
        </Alert>
      )}
      {state === 'done' && !isPlan && sum.temporary > 0 && (
        <Alert color="orange" role="alert" title={t('passing', { count: sum.temporary })}>
          <Stack gap="sm" align="flex-start">
            {t('passingText')}
            <Button onClick={() => running.resume()}>{t('sendAgain')}</Button>
          </Stack>
        </Alert>
      )}
      {sum.rows > 0 && <Tiles counts={sum.counts} isPlan={isPlan} isChange={isChange} />}
      {state === 'done' &&
        (isPlan ? (
          <AfterPlan
            run={run}
            running={running}
            isUnfinished={isUnfinished}
            keepsExisting={isChange || group?.ifEnrolled === 'return'}
            onApply={onApply}
          />
        ) : (
          <AfterRun {...{ run, isChange, onOther }} />
        ))}
      {state !== 'running' && !isPlan && <UndoLink run={run} />}
      {sum.rejected.length > 0 && state !== 'running' && (
        <RejectedRows refused={sum.rejected} source={source} isGroup={group !== undefined} />
      )}
    </Stack>
  );
}

/** A running or interrupted import. */
function RunProgress({ run: { state, rows, of, error, isPlan }, running }: { run: Run; running: Running }) {
  const t = useTranslations('bulk');
  return (
    <Stack gap="sm">
      <RunBar
        rows={rows}
        of={of}
        label={t(isPlan ? 'planTitle' : 'applyTitle')}
        text={t('progress', { rows, of })}
        isRunning={state === 'running'}
      >
        {state === 'running' ? (
          <Button variant="default" onClick={running.stop}>
            {t('stop')}
          </Button>
        ) : (
          <Group gap="sm">
            {isPlan && (
              <Button variant="default" onClick={running.clear}>
                {t('back')}
              </Button>
            )}
            <Button onClick={() => running.resume()}>{t('goOn')}</Button>
          </Group>
        )}
      </RunBar>
      {state === 'stopped' && (
        <Text size="sm" role="status">
          {t(isPlan ? 'stoppedPlan' : 'stopped')}
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

type AfterPlanProps = Pick<Props, 'run' | 'running' | 'onApply'> & {
  keepsExisting: boolean;
  isUnfinished: boolean;
};

function AfterPlan({ run, running, keepsExisting, isUnfinished, onApply }: AfterPlanProps) {
  const t = useTranslations('bulk');
  const { counts, rejected } = run.sum;
  // Existing enrolments are included if they may be extended.
  const count = counts.created + counts.updated + (keepsExisting ? 0 : counts.exists);
  const nothing = isUnfinished ? 'unfinishedResults' : 'nothingToDo';
  const text = t(count === 0 ? nothing : rejected.length > 0 ? 'skippedNote' : 'allFine');
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" maw={560} flex="1 1 16rem">
        {text}
      </Text>
      <Group gap="sm">
        <Button variant="default" onClick={running.clear}>
          {t('back')}
        </Button>
        <Button size="md" disabled={count === 0 && !isUnfinished} onClick={onApply} className="apply">
          {count === 0 && isUnfinished
            ? t('goOn')
            : t(counts.updated > 0 ? 'existing.applyUpdates' : 'apply.enrolments', { count })}
        </Button>
      </Group>
    </Group>
  );
}

function AfterRun({ run, isChange = false, onOther }: Pick<Props, 'run' | 'isChange' | 'onOther'>) {
  const t = useTranslations('bulk');
  return (
    <Group gap="md">
      <Button onClick={onOther}>{t('another')}</Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() =>
          saveFile('enrolments-results.csv', csvFile([csvRow(resultColumns), ...run.sum.results]))
        }
      >
        {t('results')}
      </Button>
      {!isChange && (
        <Anchor size="sm" renderRoot={(props) => <Link to="/console/enrolments" search={{}} {...props} />}>
          {t('show.enrolments')}
        </Anchor>
      )}
    </Group>
  );
}
