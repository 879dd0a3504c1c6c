import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconDownload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { csvFile, csvRow } from '../../parts/csv.ts';
import { saveFile } from '../../parts/save-file.ts';
import { FailedAction } from '../../parts/states.tsx';
import type { AddedFields } from './existing.ts';
import type { GroupEnrolment } from './group-rows.ts';
import { type ChangedFields, resultColumns } from './outcome.ts';
import { RejectedRows } from './rejected-rows.tsx';
import { RunBar } from './run-bar.tsx';
import { type Source, UnusableFile } from './source.ts';
import type { Subject } from './subjects.ts';
import { Tiles } from './tiles.tsx';
import { UndoLink } from './undo-link.tsx';
import type { Run, Running } from './use-run.ts';
import { WarnedRows } from './warned-rows.tsx';

type Props = {
  run: Run;
  running: Running;
  subject: Subject;
  source: Source;
  added: AddedFields;
  /** Set if the rows are the people of a group. */
  group?: GroupEnrolment;
  /** Whether the rows are existing records that are changed. */
  isChange?: boolean;
  /** Set if the rows are users who can also be enrolled: whether this may extend or renew existing enrolments. */
  enrolling?: { changesExisting: boolean };
  /** Whether the run was interrupted, so that its results are incomplete even if nothing is left to do. */
  isUnfinished?: boolean;
  onApply: () => void;
  onOther: () => void;
};

/** A plan or an import: its progress, its results, and the next step. */
export function RunView(props: Props) {
  const { run, running, subject, source, added, group, isChange = false, enrolling } = props;
  const { isUnfinished = false } = props;
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
      {sum.rows > 0 && (
        <Tiles
          counts={sum.counts}
          subject={subject}
          isPlan={isPlan}
          isUpdate={isChange || added.IfExists === 'update'}
          isChange={isChange}
          {...(enrolling ? { enrolments: sum.enrolments } : {})}
        />
      )}
      {!isChange && <ChangedFieldList changed={sum.changed} />}
      {state === 'done' &&
        (isPlan ? (
          <AfterPlan
            run={run}
            running={running}
            subject={subject}
            isUnfinished={isUnfinished}
            keepsExisting={isChange || group?.ifEnrolled === 'return'}
            {...(enrolling ? { enrolling } : {})}
            onApply={onApply}
          />
        ) : (
          <AfterRun {...{ run, subject, isChange, onOther }} hasCourses={enrolling !== undefined} />
        ))}
      {state !== 'running' && !isPlan && <UndoLink run={run} />}
      {sum.warnings.length > 0 && state !== 'running' && <WarnedRows warnings={sum.warnings} />}
      {sum.rejected.length > 0 && state !== 'running' && (
        <RejectedRows
          refused={sum.rejected}
          source={source}
          subject={subject}
          isGroup={group !== undefined}
          isChange={isChange}
        />
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
      {state === 'failed' &&
        (error instanceof UnusableFile ? (
          <Alert color="red" role="alert">
            {t(`why.${error.why}`)}
          </Alert>
        ) : (
          <>
            <FailedAction error={error} />
            {!isPlan && <Text size="sm">{t('failedText')}</Text>}
          </>
        ))}
    </Stack>
  );
}

type AfterProps = Pick<Props, 'run' | 'subject'>;

type AfterPlanProps = AfterProps &
  Pick<Props, 'running' | 'onApply' | 'enrolling'> & { keepsExisting: boolean; isUnfinished: boolean };

function AfterPlan({
  run,
  running,
  subject,
  keepsExisting,
  isUnfinished,
  enrolling,
  onApply,
}: AfterPlanProps) {
  const t = useTranslations('bulk');
  const { counts, enrolments, rejected } = run.sum;
  const { created, updated, exists } = counts;
  // Existing enrolments are included if they may be extended or renewed.
  const enrolled = enrolments.created + (enrolling?.changesExisting ? enrolments.exists : 0);
  const count = created + updated + enrolled + (subject === 'users' || keepsExisting ? 0 : exists);
  const isOnlyResults = count === 0 && isUnfinished;
  const skipped = enrolling ? 'people.skippedNote' : 'skippedNote';
  const nothing = isUnfinished ? 'unfinishedResults' : 'nothingToDo';
  const text = t(count === 0 ? nothing : rejected.length > 0 ? skipped : 'allFine');
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
          {isOnlyResults
            ? t('goOn')
            : enrolled > 0
              ? t('people.apply', { users: created + updated, enrolments: enrolled })
              : updated === 0
                ? t(`apply.${subject}`, { count })
                : created === 0
                  ? t('existing.applyUpdates', { count })
                  : t('existing.applyBoth', { created, updated })}
        </Button>
      </Group>
    </Group>
  );
}

/** The fields with new values, each with the number of users. */
function ChangedFieldList({ changed }: { changed: ChangedFields }) {
  const t = useTranslations('bulk.existing');
  const format = useFormatter();
  const fields = Object.entries(changed);
  if (fields.length === 0) return null;
  const texts = fields.map(([field, count]) => `${field} (${format.number(count)})`);
  return <Text size="sm">{t('changed', { fields: format.list(texts) })}</Text>;
}

type AfterRunProps = AfterProps & Pick<Props, 'isChange' | 'onOther'> & { hasCourses: boolean };

function AfterRun({ run, subject, isChange, onOther, hasCourses }: AfterRunProps) {
  const t = useTranslations('bulk');
  const to = subject === 'users' ? '/console/users' : '/console/enrolments';
  return (
    <Group gap="md">
      <Button onClick={onOther}>{t('another')}</Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() =>
          saveFile(`${subject}-results.csv`, csvFile([csvRow(resultColumns(hasCourses)), ...run.sum.results]))
        }
      >
        {t('results')}
      </Button>
      {!isChange && (
        <Anchor size="sm" renderRoot={(props) => <Link to={to} search={{}} {...props} />}>
          {t(`show.${subject}`)}
        </Anchor>
      )}
    </Group>
  );
}
