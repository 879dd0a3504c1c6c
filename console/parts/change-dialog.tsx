import { Alert, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useTranslations } from 'use-intl';
import { withRetries } from '../api/data.ts';
import { toFailure } from '../api/problem.ts';
import { focusFirst } from './focus-first.ts';
import { LeaveGuard } from './leave-guard.tsx';
import { RunBar } from './run-bar.tsx';
import { Failed, WaitingRows } from './states.tsx';
import { notify } from './toast.tsx';

/** The change to a row, null if the row is already so, or why it cannot be changed. */
export type Step<Body> = { body: Body } | { refused: string } | null;

type Props<Row, Body> = {
  title: string;
  /** Reads the rows when the dialog opens, because a list shows only some of those selected. */
  read: () => Promise<readonly Row[]>;
  nameOf: (row: Row) => string;
  planOf: (row: Row) => Step<Body>;
  /** Must be safe to repeat. */
  send: (row: Row, body: Body) => Promise<unknown>;
  /** Restores a row as it was before. Not set if that is impossible. */
  undoOf?: ((row: Row) => Body) | undefined;
  submit: string;
  isDangerous?: boolean;
  onClose: () => void;
  /** The fields. The plan below follows them. */
  children?: ReactNode;
};

type Failures<Row> = { row: Row; detail: string }[];
type Run<Row> = { isUndo: boolean; rows: readonly Row[]; done: number; failed: Failures<Row> };

const concurrentCalls = 4;
const shownFailures = 20;

/** Changes any number of rows, each with a call of its own: the plan, the progress, the result and its undo. */
export function ChangeDialog<Row, Body>(props: Props<Row, Body>) {
  const { title, read, nameOf, planOf, send, undoOf, submit, isDangerous = false, onClose, children } = props;
  const t = useTranslations('change');
  const act = useTranslations('act');
  const failures = useTranslations('failures');
  const queries = useQueryClient();
  const rows = useQuery({
    queryKey: ['rows to change', useId()],
    queryFn: read,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const [run, setRun] = useState<Run<Row> | null>(null);
  const plans = (rows.data ?? []).map((row) => ({ row, step: planOf(row) }));
  const changes = plans.flatMap(({ row, step }) => (step && 'body' in step ? [{ row, ...step }] : []));
  const refused = plans.flatMap(({ step }) => (step && 'refused' in step ? [step.refused] : []));
  const isWorking = run !== null && run.done < run.rows.length;

  const start = async (work: readonly { row: Row; body: Body }[], isUndo: boolean) => {
    const failed: Failures<Row> = [];
    const all = work.map(({ row }) => row);
    let done = 0;
    setRun({ isUndo, rows: all, done, failed });
    const waiting = work.values();
    const worker = async () => {
      for (const { row, body } of waiting) {
        try {
          await withRetries(() => send(row, body));
        } catch (thrown) {
          const { code, detail } = toFailure(thrown);
          failed.push({ row, detail: code === 'unreachable' ? failures('unreachable') : detail });
        }
        done++;
        setRun({ isUndo, rows: all, done, failed });
      }
    };
    await Promise.all(Array.from({ length: concurrentCalls }, worker));
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'rows to change' });
    if (rows.data?.length === 1 && failed.length === 0) {
      notify(t('changed'));
      onClose();
    }
  };

  const form = () => {
    if (rows.isError) return <Failed error={rows.error} onRetry={rows.refetch} />;
    if (!rows.data) return <WaitingRows rows={2} />;
    return (
      <>
        {children}
        <div role="status">
          <Text size="sm" fw={600}>
            {t('plan', { count: changes.length })}
          </Text>
          {plans.length > changes.length + refused.length && (
            <Text size="sm">{t('unchanged', { count: plans.length - changes.length - refused.length })}</Text>
          )}
          {[...new Set(refused)].map((reason) => (
            <Text size="sm" key={reason}>
              {t('refused', { count: refused.filter((one) => one === reason).length, reason })}
            </Text>
          ))}
        </div>
      </>
    );
  };

  const result = ({ isUndo, rows: changed, failed }: Run<Row>) => (
    <>
      {changed.length > failed.length && (
        <Alert color="green" role="status">
          {t(isUndo ? 'undone' : 'done', { count: changed.length - failed.length })}
        </Alert>
      )}
      {failed.length > 0 && (
        <Alert color="red" role="alert" title={t('failed', { count: failed.length })}>
          <List size="sm">
            {failed.slice(0, shownFailures).map(({ row, detail }) => (
              <List.Item key={nameOf(row)}>
                {nameOf(row)}: {detail}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Group justify="flex-end">
        {failed.length > 0 && !isUndo && (
          <Button
            variant="default"
            onClick={() =>
              start(
                changes.filter(({ row }) => failed.some((one) => one.row === row)),
                false,
              )
            }
          >
            {t('again')}
          </Button>
        )}
        {undoOf && !isUndo && changed.length > failed.length && (
          <Button
            variant="default"
            onClick={() =>
              start(
                changes.map(({ row }) => ({ row, body: undoOf(row) })),
                true,
              )
            }
          >
            {t('undo')}
          </Button>
        )}
        <Button onClick={onClose} data-autofocus>
          {act('close')}
        </Button>
      </Group>
    </>
  );

  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={run === null}
      closeOnEscape={!isWorking}
      withCloseButton={!isWorking}
      closeButtonProps={{ 'aria-label': act('close') }}
    >
      <form
        ref={focusFirst}
        onSubmit={(event) => {
          event.preventDefault();
          void start(changes, false);
        }}
      >
        <Stack>
          {run === null ? form() : null}
          {run !== null && isWorking && (
            <RunBar
              rows={run.done}
              of={run.rows.length}
              label={title}
              text={t('working', { done: run.done, rows: run.rows.length })}
              isRunning
            >
              {t('keepOpen')}
            </RunBar>
          )}
          {run !== null && !isWorking && result(run)}
          {run === null && (
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {act('cancel')}
              </Button>
              <Button
                type="submit"
                disabled={changes.length === 0}
                {...(isDangerous ? { color: 'red.8' } : {})}
              >
                {submit}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
      <LeaveGuard isOn={isWorking} text={t('leave')} />
    </Modal>
  );
}
